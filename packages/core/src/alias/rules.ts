import type { Sender } from "../values/sender.ts";

/**
 * Whose mail an alias accepts: everybody's; only mail from addresses that its owner has written to, or has made contacts in order to write
 * to them; or mail from those and from the senders in its rules.
 */
export type AcceptFrom = (typeof ACCEPT_FROM)[number];
export const ACCEPT_FROM = ["everybody", "written_to", "listed"] as const;

/** The maximum number of senders in the rules of one alias. */
export const MAX_LISTED_SENDERS = 100;

/** The maximum of `AliasRules.messagesLeft`. */
export const MAX_MESSAGES_LEFT = 1_000_000;

/** The maximum of `AliasRules.activeUntil`: the last millisecond of the year 9999. Later times are formatted differently. */
export const MAX_ACTIVE_UNTIL = 253_402_300_799_999;

/** What mail an alias accepts, and until when. */
export type AliasRules = {
  readonly acceptFrom: AcceptFrom;
  /** Whose mail is accepted with `listed`. Each is listed once. */
  readonly senders: readonly Sender[];
  /** When the alias ends, in epoch milliseconds: from then on it accepts no mail. Null if never. */
  readonly activeUntil: number | null;
  /** After how many more messages the alias ends; null if never. Each accepted message reduces it; replies by its owner do not. */
  readonly messagesLeft: number | null;
};

/** Changes to the rules; undefined ones stay unchanged. */
export type WantedRules = { readonly [Name in keyof AliasRules]?: AliasRules[Name] | undefined };

const NONE: AliasRules = Object.freeze({
  acceptFrom: "everybody",
  senders: Object.freeze([]),
  activeUntil: null,
  messagesLeft: null,
});

const sameSenders = (one: readonly Sender[], other: readonly Sender[]): boolean =>
  one.length === other.length && one.every((sender, i) => sender === other[i]);

const isOver = ({ activeUntil }: AliasRules, now: number): boolean =>
  activeUntil !== null && now >= activeUntil;

export const AliasRules = {
  /** The rules of a new alias. Frozen, because all new aliases share them. */
  none: NONE,

  /** The rules with the wanted changes; the same object if nothing would change. */
  change: (
    rules: AliasRules,
    {
      acceptFrom = rules.acceptFrom,
      senders = rules.senders,
      activeUntil = rules.activeUntil,
      messagesLeft = rules.messagesLeft,
    }: WantedRules,
  ): AliasRules => {
    const same =
      acceptFrom === rules.acceptFrom &&
      activeUntil === rules.activeUntil &&
      messagesLeft === rules.messagesLeft &&
      sameSenders(senders, rules.senders);
    return same ? rules : { acceptFrom, senders, activeUntil, messagesLeft };
  },

  /** Whether `activeUntil` has passed. */
  isOver,

  /** The rules without any end that has been reached; the same object if none has. */
  withoutPastEnd: (rules: AliasRules, now: number): AliasRules => {
    const { activeUntil, messagesLeft } = rules;
    if (!isOver(rules, now) && messagesLeft !== 0) return rules;
    return {
      ...rules,
      activeUntil: isOver(rules, now) ? null : activeUntil,
      messagesLeft: messagesLeft === 0 ? null : messagesLeft,
    };
  },
};
