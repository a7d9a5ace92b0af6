import type { ClientError, Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { showAlias, showInLists } from "../alias/stored-alias.ts";
import { api } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { words } from "../words/words.ts";

type Alias = Schemas["Alias"];

/**
 * Switches an alias on or off. It is shown as switched at once, and as it was if that is refused. Nothing is overwritten: lists have no
 * `etag`, so the alias is read first.
 */
export const useSwitchAlias = (onError: (error: ClientError) => void) =>
  useMutation({
    // One after the other: whoever clicks twice means the last click.
    scope: { id: "switch alias" },
    mutationFn: async ({ alias, active }: { readonly alias: Alias; readonly active: boolean }) => {
      const stored = await api.getAlias(alias.alias_id);
      if (stored.data.active === active) return stored;
      return api.updateAlias(alias.alias_id, { active }, { ifMatch: stored.etag });
    },
    onMutate: ({ alias, active }) => showInLists({ ...alias, active }),
    onSuccess: (stored) => {
      showAlias(stored);
      const { active, alias_email } = stored.data;
      announce((active ? words.aliases.switchedOn : words.aliases.switchedOff)(alias_email));
    },
    onError: (error, { alias }) => {
      showInLists(alias);
      onError(error);
    },
  });
