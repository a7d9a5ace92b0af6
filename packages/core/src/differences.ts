import { err, type Result } from "neverthrow";
import type { Unavailable } from "./errors.ts";
import type { PortResult } from "./ports.ts";

/*
 * A store keeps some things twice, such as how many aliases list a recipient. Its transactions keep both equal; a restore of a
 * backup that does not contain whole transactions, or another program, can leave them different. Aliases and recipients are
 * the source of truth: everything else follows from them and is counted again. A repair changes nothing in them but, sometimes, the
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

type Place = Readonly<Record<"account" | "alias" | "recipient", string>>;

const DESTINATION_ACTIONS = {
  gone: "import the recipient from an archive that has it, and repair again; or repair with --detach",
  unverified: "the recipient can be verified; then repair again. Or repair with --detach",
  inactive: "its owner can activate the recipient; then repair again. Or repair with --detach",
} as const;

/** The differences that every store describes in the same way. */
export const Difference = {
  /** What an operator can do about a recipient that an alias lists, but that must not receive its mail. */
  destinationActions: DESTINATION_ACTIONS,

  /** A live alias lists a recipient that does not exist, or is not verified and active. */
  destination: (
    place: Place,
    state: keyof typeof DESTINATION_ACTIONS,
    detach: Repair | null,
  ): Difference => ({
    kind: "destination",
    ...place,
    stored: state,
    right: "verified and active",
    remedy: { by: "operator", action: DESTINATION_ACTIONS[state], detach },
  }),

  /**
   * An alias has more events than it has counted. That is all that can be found out: events are remembered for 35 days, and
   * without their outcome, so there is nothing to count again.
   */
  tallies: (place: Omit<Place, "recipient">, counted: number, events: number): Difference => ({
    kind: "tallies",
    ...place,
    recipient: null,
    stored: `${counted} counted`,
    right: `${events} or more`,
    remedy: {
      by: "operator",
      action:
        "nothing, unless a backup has the right numbers: which outcomes are missing is not stored. This ends when the events are forgotten, after 35 days",
      detach: null,
    },
  }),
};

export type Remedy =
  | { readonly by: "repair"; readonly repair: Repair }
  /** Several things could be right. `detach` takes the recipients concerned off the alias; null if that is not the question. */
  | { readonly by: "operator"; readonly action: string; readonly detach: Repair | null };

/**
 * Looks at the difference again and corrects it, in one transaction, under the conditions of all other writes. `gone` if
 * there was nothing left to do. Others may be writing at the same time; `busy` if they did in each of several attempts.
 */
export type Repair = () => PortResult<"repaired" | "gone" | "busy">;

/**
 * Finds every difference in the store, account by account, in bounded memory. Others may be writing at the same time: what they
 * are just changing is no difference. Repairing one before the next is requested can make others disappear. Ends after the first
 * failure.
 *
 * @param onAccount called for each account that has been checked
 */
export type FindDifferences = (onAccount: () => void) => AsyncGenerator<Result<Difference, Unavailable>>;

/** Finds what differs in one account, whose id is as stored: possibly not valid. Ends after the first failure. */
export type AccountCheck = (account: string) => AsyncGenerator<Result<Difference, Unavailable>>;

/**
 * Makes all checks of one account after another.
 *
 * @param nextAccount the account with the lowest id after this one, which is empty at first; null if there is none
 */
export const differencesByAccount = (
  nextAccount: (after: string) => PortResult<string | null>,
  checks: readonly AccountCheck[],
): FindDifferences =>
  async function* (onAccount) {
    let after = "";
    for (;;) {
      const next = await nextAccount(after);
      if (next.isErr()) {
        yield err(next.error);
        return;
      }
      if (next.value === null) return;
      for (const check of checks) {
        for await (const difference of check(next.value)) {
          yield difference;
          if (difference.isErr()) return;
        }
      }
      onAccount();
      after = next.value;
    }
  };
