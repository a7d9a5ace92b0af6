import { err, ok, type Result } from "neverthrow";
import { Alias } from "../alias/alias.ts";
import type { Conflict, Unavailable } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { RecipientId } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";

/*
 * A store keeps some data redundantly, such as the number of aliases that list a recipient. Its transactions keep such data consistent;
 * restoring a backup that contains partial transactions, or another program, can make it diverge. What users have entered is the source of
 * truth: aliases, recipients, contacts, blocked senders and API keys. Everything else is derived from them, and written anew. A repair changes
 * nothing in an alias except, sometimes, its version; only `detach` takes recipients off aliases.
 */

/** What is affected, with ids as stored: not necessarily valid. Null if nothing of that sort is. */
export type Place = Readonly<Record<"account" | "alias" | "recipient", string | null>>;

/** What each alias, recipient, contact, blocked sender or API key should have one or more of, and how it should be. */
const DERIVED = {
  address: "each leads to the alias that has it, or is retired",
  "api-key": "each API key is found by its hash, and no other",
  attachment: "one for each recipient that the alias lists",
  "blocked-sender": "each blocked sender is found once, and no other",
  contact: "each contact is found by its id and in its list",
  "recipient-address": "each is reserved for the recipient that has it",
  search: "one for each word of the description, and for the address if it is indexed",
  tallies: "all, and the alias says so",
} as const;

export type DerivedKind = keyof typeof DERIVED;

/** Data that disagrees with what users have entered, or that breaks a rule spanning several aliases and recipients. */
export type Difference = Place & {
  /** What differs. Stable across versions. */
  readonly kind:
    | DerivedKind
    | "attached"
    | "destination"
    | "file"
    | "leftover"
    | "listed"
    | "positions"
    | "unreadable"
    | "unsettled"
    | "usage";
  /** What is stored, and what it should be. Like `action`, text for the operator that contains no email address. */
  readonly stored: string;
  readonly right: string;
  readonly remedy: Remedy;
};

type Remedy =
  | { readonly by: "repair"; readonly repair: Repair }
  /** There is more than one possible fix. `detach` removes the affected recipients from the alias; null if detaching does not apply. */
  | { readonly by: "operator"; readonly action: string; readonly detach: Repair | null };

/** `gone` if there was nothing left to do; `busy` if others interfered with each of several attempts. */
type Repair = () => PortResult<"repaired" | "gone" | "busy">;

/**
 * Compares again and writes what is right, in one transaction, under the same conditions as all other writes. Returns whether anything
 * still differed. `conflict` if somebody else's write came in between: then nothing is changed.
 */
export type Correction = () => PortResult<boolean, Conflict>;

const MAX_ATTEMPTS = 5;

const attempts =
  (correct: Correction): Repair =>
  async () => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const corrected = await correct();
      if (corrected.isOk()) return ok(corrected.value ? "repaired" : "gone");
      if (corrected.error.code === "unavailable") return err(corrected.error);
    }
    return ok("busy");
  };

const byRepair = (correct: Correction): Remedy => ({ by: "repair", repair: attempts(correct) });

const byOperator = (action: string, detach: Correction | null = null): Remedy => ({
  by: "operator",
  action,
  detach: detach === null ? null : attempts(detach),
});

/** How many rows or items are not as they should be. */
export type Wrong = Readonly<Partial<Record<"missing" | "wrong" | "surplus", number>>>;

const textOf = (wrong: Wrong): string =>
  (["missing", "wrong", "surplus"] as const)
    .flatMap((name) => (wrong[name] ? [`${wrong[name]} ${name}`] : []))
    .join(", ");

const DESTINATION_ACTIONS = {
  gone: "import the recipient from an archive that has it, and repair again; or repair with --detach",
  unverified: "the recipient can be verified; then repair again. Or repair with --detach",
  inactive: "its owner can activate the recipient; then repair again. Or repair with --detach",
} as const;

const TAKEN_ACTIONS = {
  address: "if the other alias is erased, a repair gives the address to this one",
  "recipient-address": "if the owner deletes the other recipient, a repair reserves the address for this one",
  contact: "delete the contact that should not have it",
  "api-key": "if the owner deletes the other API key, a repair lets this one be used",
} as const;

/** The differences, described in the same way by every store. */
export const Difference = {
  /** Data derived from the alias, recipient, contact, blocked sender or API keys at this place. */
  derived: (kind: DerivedKind, place: Place, wrong: Wrong, correct: Correction): Difference => ({
    ...place,
    kind,
    stored: textOf(wrong),
    right: DERIVED[kind],
    remedy: byRepair(correct),
  }),

  /** A number, or numbers, that follow from what is stored. */
  count: (
    kind: "attached" | "listed" | "positions" | "usage",
    place: Place,
    counts: Readonly<Record<"stored" | "right", string>>,
    correct: Correction,
  ): Difference => ({ ...place, kind, ...counts, remedy: byRepair(correct) }),

  /** Data of an alias that does not exist, or that is deleted. */
  leftover: (place: Place, count: number, where: string, correct: Correction): Difference => ({
    ...place,
    kind: "leftover",
    stored: `${count} in ${where}`,
    right: "only an alias that exists has any, and only a live one has recipients",
    remedy: byRepair(correct),
  }),

  /** Two aliases, recipients, contacts or API keys that cannot both have what they have. `other` has what the one at the place lacks. */
  taken: (kind: keyof typeof TAKEN_ACTIONS, place: Place, other: Place): Difference => ({
    ...place,
    kind,
    stored: `leads to ${[
      ["alias", other.alias],
      ["recipient", other.recipient],
      ["account", other.account],
    ]
      .flatMap(([name, id]) => (id === null ? [] : [`${name} ${id}`]))
      .join(" of ")}, which has the same`,
    right: DERIVED[kind],
    remedy: byOperator(TAKEN_ACTIONS[kind]),
  }),

  /** A live alias lists a recipient that does not exist, or is not verified and active. */
  destination: (
    place: Place,
    state: keyof typeof DESTINATION_ACTIONS,
    detach: Correction | null,
  ): Difference => ({
    ...place,
    kind: "destination",
    stored: state,
    right: "verified and active",
    remedy: byOperator(DESTINATION_ACTIONS[state], detach),
  }),

  /**
   * An alias has more events than it has counted. Nothing more can be determined: events are remembered for 35 days, and
   * without their outcome, so they cannot be recounted.
   */
  tallies: (place: Place, counted: number, events: number): Difference => ({
    ...place,
    kind: "tallies",
    stored: `${counted} counted`,
    right: `${events} or more`,
    remedy: byOperator(
      "nothing, unless a backup has the right numbers: which outcomes are missing is not stored. This ends when the events are forgotten, after 35 days",
    ),
  }),

  /** What no program could correct. */
  undecided: (
    kind: "destination" | "file" | "unreadable" | "unsettled",
    place: Place,
    texts: Readonly<Record<"stored" | "right" | "action", string>>,
  ): Difference => ({
    ...place,
    kind,
    stored: texts.stored,
    right: texts.right,
    remedy: byOperator(texts.action),
  }),

  /**
   * A live alias without the recipients that must not receive its mail, at least one of which it lists. If no others remain, it is
   * deleted, and remembers them, so that its owner can restore it.
   */
  detached: (alias: Alias, isEligible: (recipient: RecipientId) => boolean, now: number): Alias => {
    const left = alias.destinations.filter(({ recipientId }) => isEligible(recipientId));
    return isNonEmpty(left)
      ? {
          ...alias,
          destinations: left,
          updatedAt: Math.max(now, alias.updatedAt),
          version: alias.version + 1,
        }
      : Alias.delete(alias, now);
  },
};

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
