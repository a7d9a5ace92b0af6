import { err, type Result } from "neverthrow";
import type { Unavailable } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";

/*
 * A store keeps some data redundantly, such as the number of aliases that list a recipient. Its transactions keep such data consistent;
 * restoring a backup that contains partial transactions, or another program, can make it diverge. Aliases and recipients are the source of
 * truth: everything else is derived from them and recomputed. A repair changes nothing in them except, sometimes, the version of an
 * alias; only `detach` takes recipients off aliases.
 */

/** Data that disagrees with the store's aliases and recipients, or that breaks a rule spanning several of them. */
export type Difference = {
  /** What differs, such as `attached`. Stable across versions. */
  readonly kind: string;
  /** The account, alias and recipient affected, as stored: not necessarily valid ids. Null if none is affected. */
  readonly account: string | null;
  readonly alias: string | null;
  readonly recipient: string | null;
  /** What is stored, and what it should be. Like `action`, text for the operator that contains no email address. */
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

/** The differences that every store describes the same way. */
export const Difference = {
  /** What an operator can do about a recipient that an alias lists but that must not receive its mail. */
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
   * An alias has more events than it has counted. Nothing more can be determined: events are remembered for 35 days, and
   * without their outcome, so they cannot be recounted.
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
  /** There is more than one possible fix. `detach` removes the affected recipients from the alias; null if detaching does not apply. */
  | { readonly by: "operator"; readonly action: string; readonly detach: Repair | null };

/**
 * Checks the difference again and corrects it, in one transaction, under the same conditions as all other writes. `gone`
 * if there was nothing left to do. Others may be writing at the same time; `busy` if they interfered with each of several
 * attempts.
 */
export type Repair = () => PortResult<"repaired" | "gone" | "busy">;

/**
 * Finds every difference in the store, account by account, in bounded memory. Others may be writing at the same time: a change in progress
 * does not count as a difference. Repairing one difference before requesting the next can make others disappear. Ends after the first
 * failure.
 *
 * @param onAccount called for each account that has been checked
 */
export type FindDifferences = (onAccount: () => void) => AsyncGenerator<Result<Difference, Unavailable>>;

/** Finds the differences in one account, whose id is as stored and not necessarily valid. Ends after the first failure. */
export type AccountCheck = (account: string) => AsyncGenerator<Result<Difference, Unavailable>>;

/**
 * Runs all checks on one account after another.
 *
 * @param nextAccount the account with the lowest id after `after`, which is empty at first; null if there is none
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
