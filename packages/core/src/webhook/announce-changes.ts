import { err, ok } from "neverthrow";
import type { RememberedSuspensions } from "../account/remembered-suspensions.ts";
import type { Alias } from "../alias/alias.ts";
import type { Aliases } from "../alias/aliases.ts";
import { LoggedMessage } from "../message-log/logged-message.ts";
import type { MessageLog } from "../message-log/message-log.ts";
import { begin } from "../operation/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import type { Announcement, Subject } from "./announcement.ts";
import type { Outbox } from "./outbox.ts";
import type { RememberedWebhooks } from "./remembered-webhooks.ts";
import { ALIAS_EVENTS, MESSAGE_EVENTS, Webhook } from "./webhook.ts";

export type AnnouncingPorts = {
  readonly webhooks: Pick<RememberedWebhooks, "remembered" | "recall">;
  readonly suspensions: Pick<RememberedSuspensions, "find">;
  readonly outbox: Pick<Outbox, "announce">;
  readonly clock: Pick<Clock, "now">;
};

/** The time left for several calls; undefined if it is not limited. */
const countdown = ({ clock }: AnnouncingPorts, timeLeft: number | undefined): (() => number | undefined) =>
  timeLeft === undefined ? () => undefined : begin({ clock, timeoutMs: timeLeft });

/** A subject of an account with the version that is announced. */
type Announced = Subject & Pick<Announcement, "version"> & { readonly account: AccountId };

/**
 * Announces the subject to the webhooks of the account that receive events about such a subject; to none if the account is suspended,
 * because a resting webhook may not have its next turn until the suspension is over.
 */
const announcing =
  ({ webhooks, suspensions, outbox, clock }: AnnouncingPorts) =>
  async (subject: Announced, left: () => number | undefined): PortResult<void> => {
    const found = await webhooks.recall(subject.account, left());
    if (found.isErr()) return err(found.error);
    const types = subject.message === null ? ALIAS_EVENTS : MESSAGE_EVENTS;
    const announcements = found.value
      .filter((webhook) => types.some((type) => Webhook.receives(webhook, type)))
      .map(({ id }): Announcement => ({ ...subject, webhook: id, at: clock.now() }));
    if (!isNonEmpty(announcements)) return ok();
    const suspendedSince = await suspensions.find(subject.account, left());
    if (suspendedSince.isErr()) return err(suspendedSince.error);
    return suspendedSince.value === null ? outbox.announce(announcements, left()) : ok();
  };

/**
 * The same aliases, but each change is announced to the webhooks before it is made, so that none is made without an event, whatever
 * crashes. A change that cannot be announced is not made. The announcement of a change that is not made after all leads to no event
 * (`eventSending`).
 */
export const announcedAliases = (aliases: Aliases, ports: AnnouncingPorts): Aliases => {
  const announce = announcing(ports);

  /** Announces the change that leads to this alias, unless nobody is listening, and then makes it in the time that is left. */
  const announced = <E>(
    { account, id, version }: Alias,
    change: (timeLeft: number | undefined) => PortResult<void, E>,
    timeLeft: number | undefined,
  ): PortResult<void, E> => {
    // This is nearly always so, and must not cost another asynchronous step.
    if (ports.webhooks.remembered(account)?.length === 0) return change(timeLeft);
    const left = countdown(ports, timeLeft);
    const announceAndChange = async (): PortResult<void, E> => {
      const result = await announce({ account, alias: id, message: null, version }, left);
      return result.isErr() ? err(result.error) : change(left());
    };
    return announceAndChange();
  };

  return {
    ...aliases,
    create: (alias, limits, creation, timeLeft) =>
      announced(alias, (left) => aliases.create(alias, limits, creation, left), timeLeft),
    save: (before, after, timeLeft) =>
      announced(after, (left) => aliases.save(before, after, left), timeLeft),
  };
};

/** The same log, but a message is announced to the webhooks once it is saved. If announcing it fails, it must be saved again. */
export const announcedMessages = (messageLog: MessageLog, ports: AnnouncingPorts): MessageLog => {
  const announce = announcing(ports);
  return {
    ...messageLog,
    save: async (message, limits, timeLeft) => {
      const left = countdown(ports, timeLeft);
      const saved = await messageLog.save(message, limits, left());
      if (saved.isErr()) return err(saved.error);
      const { account, alias, revision } = message;
      const position = LoggedMessage.position(message);
      return announce({ account, alias, message: position, version: revision }, left);
    },
  };
};
