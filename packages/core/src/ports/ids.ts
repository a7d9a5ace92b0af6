import type { AliasId, RecipientId } from "../values/identifiers.ts";

/** Must not throw. */
export type Ids = {
  /** A new id, greater (`compareIds`) than all earlier ones, so that lists run newest first. */
  alias(): AliasId;
  /** Likewise. */
  recipient(): RecipientId;
};
