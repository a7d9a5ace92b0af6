import type { Schemas, Success } from "@postern/client";
import { showInLists } from "../aliases/switch-alias.ts";
import { api, reads } from "../api/api.ts";
import { useRead } from "../api/read.ts";

type StoredAlias = Success<Schemas["Alias"], string>;

const keyOf = (id: string) => ["alias", id] as const;

/** An alias, with the version that all its parts share. */
export const useAlias = (id: string) => useRead(keyOf(id), (signal) => api.getAlias(id, { signal }));

/** The version that was read last. */
export const etagOf = (id: string): string | undefined => reads.getQueryData<StoredAlias>(keyOf(id))?.etag;

/** Shows what an answer says of an alias, and reads its other parts again, whose version has changed too. */
export const showAlias = (stored: StoredAlias): void => {
  const { alias_id } = stored.data;
  reads.setQueryData(keyOf(alias_id), stored);
  showInLists(stored.data);
  void reads.invalidateQueries({ queryKey: [...keyOf(alias_id), "part"] });
};

/** Reads an alias and its parts again: somebody else has changed it. */
export const reloadAlias = (id: string): Promise<void> => reads.invalidateQueries({ queryKey: keyOf(id) });
