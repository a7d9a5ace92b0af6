import type { Result } from "neverthrow";
import type { Unavailable } from "./errors.ts";
import type { PortResult } from "./ports.ts";

/*
 * A store keeps some things twice, such as how many aliases list a recipient. Its transactions keep both equal; a restore of a
 * backup that does not contain whole transactions, or another program, can leave them different. Aliases and recipients are
 * what is right: everything else follows from them and is counted again. A repair changes nothing in them but, sometimes, the
 * version of an alias.
 */

/** Something that does not agree with the aliases and recipients of the store, or breaks a rule about several of them. */
export type Difference = {
  /** What differs, such as `attached`. Stays the same in later versions. */
  readonly kind: string;
  /** The account, alias and recipient concerned, as stored: possibly no valid ids. Null if none is. */
  readonly account: string | null;
  readonly alias: string | null;
  readonly recipient: string | null;
  /** What is stored, and what would be right. Like `action`, a text for the operator without an email address. */
  readonly stored: string;
  readonly right: string;
  readonly remedy: Remedy;
};

export type Remedy =
  | { readonly by: "repair"; readonly mend: Mend }
  /** Several things could be right. `detach` takes the recipients concerned off the alias; null if that is not the question. */
  | { readonly by: "operator"; readonly action: string; readonly detach: Mend | null };

/**
 * Looks at the difference again and makes it right, in one transaction, under the conditions of all other writes. `gone` if
 * there was nothing left to do. Others may be writing at the same time; `busy` if they did in each of several attempts.
 */
export type Mend = () => PortResult<"mended" | "gone" | "busy">;

/**
 * Finds every difference in the store, account by account, in bounded memory. Others may be writing at the same time: what they
 * are just changing is no difference. Mending one before the next is requested can make others disappear. Ends after the first
 * failure.
 *
 * @param onAccount called for each account that has been checked
 */
export type FindDifferences = (onAccount: () => void) => AsyncGenerator<Result<Difference, Unavailable>>;
