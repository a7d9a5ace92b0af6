import type { RecipientIds } from "../alias/destinations.ts";
import type { Domain } from "../values/email-address.ts";
import type { AccountId, ApiKeyId } from "../values/identifiers.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import type { Scope } from "./scope.ts";

/** How many API keys an account can have, expired ones included. */
export const MAX_API_KEYS = 20;

/** The kind of program that used an API key, as far as its request shows. */
export type ClientKind = (typeof CLIENT_KINDS)[number];
export const CLIENT_KINDS = ["browser_extension", "browser", "mobile_app", "desktop_app", "program"] as const;

export type LastUse = {
  /** The hour in which the key was last used: its beginning, in epoch milliseconds. */
  readonly at: number;
  readonly by: ClientKind;
};

/** A key that a program authenticates with on behalf of an account. Times are in epoch milliseconds. Only its last use ever changes. */
export type ApiKey = {
  /** Unique within the account. */
  readonly id: ApiKeyId;
  readonly account: AccountId;
  /** A keyed hash of the secret: unique across all accounts. The secret itself is not stored. */
  readonly hash: LedgerKey;
  /** What its owner calls it. */
  readonly name: string;
  /** Each once, in the order of `SCOPES`. */
  readonly scopes: NonEmpty<Scope>;
  /** The alias domain on which it creates aliases for websites; null for the first one. */
  readonly aliasDomain: Domain | null;
  /** The recipients of the aliases that it creates for websites; null for the account's default recipient. */
  readonly recipientIds: RecipientIds | null;
  /** From then on it is refused; null if never. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  /** Null if it has not been used. */
  readonly lastUse: LastUse | null;
};

/** Which API key something belongs to. */
export type ApiKeyReference = Pick<ApiKey, "account" | "id">;

/** In milliseconds. */
export const HOUR = 60 * 60 * 1000;

export const ApiKey = {
  isExpired: ({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean =>
    expiresAt !== null && now >= expiresAt,

  /** The use at this time, to be recorded; null if one in this hour, or later, is recorded already. */
  use: ({ lastUse }: Pick<ApiKey, "lastUse">, by: ClientKind, now: number): LastUse | null => {
    const at = now - (now % HOUR);
    return lastUse !== null && lastUse.at >= at ? null : { at, by };
  },
};
