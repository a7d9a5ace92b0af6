import type { AccountId, RecipientId } from "../values/identifiers.ts";
import type { LedgerKey } from "../values/ledger-key.ts";

/** Must not throw. */
export type Secrets = {
  /** An integer from 0 to `below` - 1 (`below` at most 2^32), uniformly distributed and unpredictable. */
  random(below: number): number;
  /** At least 128 random bits, as URL-safe text. */
  nonce(): string;
  /**
   * A keyed hash: only this service can compute it, and the text cannot be recovered from it. Equal texts have equal
   * hashes as long as the key stays the same.
   */
  hash(text: string): LedgerKey;
  /** A URL-safe token that only this service can make and read. */
  seal(claims: LinkClaims): string;
  /** The claims of a token that this service sealed; null for any other text. Does not check expiry. */
  open(token: string): LinkClaims | null;
};

/** What a verification link proves. The link expires at `expiresAt`, in epoch milliseconds. */
export type LinkClaims = {
  readonly account: AccountId;
  readonly recipientId: RecipientId;
  /** The `nonce` of the recipient: a newer link has another one. */
  readonly nonce: string;
  /** The mailbox that the link was sent to; null in links made before the ledger existed. */
  readonly mailbox: LedgerKey | null;
  readonly expiresAt: number;
};
