import type { ClientError, Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";
import { changePages } from "../api/change-pages.ts";
import { announce } from "../ui/announcer.tsx";
import { words } from "../words/words.ts";

type Alias = Schemas["Alias"];
type Page = Schemas["AliasPage"];

/** Shows the alias as it is now in each list that has it. */
export const showInLists = (alias: Alias): void =>
  changePages<Page>(["aliases"], (page) => ({
    ...page,
    aliases: page.aliases.map((each) => (each.alias_id === alias.alias_id ? alias : each)),
  }));

/**
 * Switches an alias on or off. It is shown as switched at once, and as it was if that is refused. Nothing is overwritten: lists have no
 * `etag`, so the alias is read first.
 */
export const useSwitchAlias = (onError: (error: ClientError) => void) =>
  useMutation({
    mutationFn: async ({ alias, active }: { readonly alias: Alias; readonly active: boolean }) => {
      const { data, etag } = await api.getAlias(alias.alias_id);
      if (data.active === active) return data;
      return (await api.updateAlias(alias.alias_id, { active }, { ifMatch: etag })).data;
    },
    onMutate: ({ alias, active }) => showInLists({ ...alias, active }),
    onSuccess: (alias) => {
      showInLists(alias);
      void reads.invalidateQueries({ queryKey: ["alias", alias.alias_id] });
      announce((alias.active ? words.aliases.switchedOn : words.aliases.switchedOff)(alias.alias_email));
    },
    onError: (error, { alias }) => {
      showInLists(alias);
      onError(error);
    },
  });
