import { ClientError, type Schemas } from "@postern/client";
import { api } from "../api/api.ts";

/** A key that may have been made although no answer came. Nobody can know its secret. */
export type LostKey = {
  readonly name: string;
  /** The ids of the keys that there were before. */
  readonly before: readonly string[];
};

/** Whether a request that failed like this can have been carried out. */
const mayBeDone = ({ problem }: ClientError): boolean =>
  problem.code === "unavailable" || problem.code === "internal_error" || problem.code === "unreachable";

/** Makes a key. Never repeated by itself, since a repeat would make another one. */
export const createKey = async (
  wanted: Schemas["CreateApiKey"],
): Promise<
  | { readonly type: "created"; readonly key: Schemas["ApiKeyCreated"] }
  | { readonly type: "lost"; readonly lost: LostKey }
> => {
  const before = (await api.listApiKeys()).data.keys.map(({ key_id }) => key_id);
  try {
    return { type: "created", key: (await api.createApiKey(wanted)).data };
  } catch (error) {
    if (!(error instanceof ClientError) || !mayBeDone(error)) throw error;
    return { type: "lost", lost: { name: wanted.name, before } };
  }
};

/** The keys in a list that can be the lost one: those that were not there before and have its name. */
export const lostOf = (
  keys: readonly Schemas["ApiKey"][],
  { name, before }: LostKey,
): readonly Schemas["ApiKey"][] => keys.filter((key) => key.name === name && !before.includes(key.key_id));
