import type { Schemas, Success } from "@postern/client";
import { api, reads } from "../api/api.ts";
import { changePages } from "../api/change-pages.ts";
import { useRead } from "../api/read.ts";

type StoredAlias = Success<Schemas["Alias"], string>;

const keyOf = (id: string) => ["alias", id] as const;

/** An alias, with the version that all its parts share. */
export const useAlias = (id: string) => useRead(keyOf(id), (signal) => api.getAlias(id, { signal }));

/** Whom it forwards to, in order; of a deleted alias, whom it forwarded to. */
export const useAliasRecipients = (id: string) =>
  useRead([...keyOf(id), "part", "recipients"], (signal) => api.getAliasRecipients(id, { signal }));

/** The version that was read last. */
export const etagOf = (id: string): string | undefined => reads.getQueryData<StoredAlias>(keyOf(id))?.etag;

/** Shows the alias as it is now in each list that has it. */
export const showInLists = (alias: Schemas["Alias"]): void =>
  changePages<Schemas["AliasPage"]>(["aliases"], (page) => ({
    ...page,
    aliases: page.aliases.map((each) => (each.alias_id === alias.alias_id ? alias : each)),
  }));

/** Shows what an answer says of an alias, and reads its other parts again, whose version has changed too. */
export const showAlias = (stored: StoredAlias): void => {
  const { alias_id } = stored.data;
  reads.setQueryData(keyOf(alias_id), stored);
  showInLists(stored.data);
  void reads.invalidateQueries({ queryKey: [...keyOf(alias_id), "part"] });
};

/** Reads the lists again when they are opened: others of them have the alias now. */
export const forgetLists = (): void => reads.removeQueries({ queryKey: ["aliases"] });

/** Reads an alias and its parts again: somebody else has changed it. */
export const reloadAlias = (id: string): Promise<void> => reads.invalidateQueries({ queryKey: keyOf(id) });
