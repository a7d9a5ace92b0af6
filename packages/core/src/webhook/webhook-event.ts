import type { Alias } from "../alias/alias.ts";
import type { AttributedMessage } from "../message-log/attributed-message.ts";
import { LoggedMessage } from "../message-log/logged-message.ts";
import type { Secrets } from "../ports/secrets.ts";
import { hashedId } from "../values/base32-ids.ts";
import type { AliasEventType, MessageEventType, Webhook, WebhookKey } from "./webhook.ts";

type Sent = {
  /** The same whenever the same content is sent to the same webhook. */
  readonly id: string;
  /** When the subject reached the state that the event shows, in epoch milliseconds. */
  readonly at: number;
};

/** An event about an alias or a message. */
export type SubjectEvent = Sent &
  (
    | { readonly type: AliasEventType; readonly alias: Alias }
    | { readonly type: MessageEventType; readonly alias: Alias; readonly message: AttributedMessage }
  );

/** An event that is sent only at the owner's request. */
export type TestEvent = Sent & { readonly type: "webhook.test"; readonly webhook: Webhook };

export type WebhookEvent = SubjectEvent | TestEvent;

const idOf = (hash: Secrets["hash"], { account, id }: WebhookKey, subject: string, version: number): string =>
  `msg_${hashedId(hash, `webhook event:${JSON.stringify([account, id, subject, version])}`)}`;

/** @param isNew whether no event about the alias has been sent to the webhook yet */
export const aliasEvent = (
  hash: Secrets["hash"],
  webhook: WebhookKey,
  alias: Alias,
  isNew: boolean,
): SubjectEvent => ({
  id: idOf(hash, webhook, alias.id, alias.version),
  at: alias.updatedAt,
  type: alias.deletedAt !== null ? "alias.deleted" : isNew ? "alias.created" : "alias.updated",
  alias,
});

const messageType = ({ blocked, copies }: LoggedMessage): MessageEventType => {
  if (blocked !== null) return "message.blocked";
  const hasFailed = copies.some(({ state }) => state === "bounced" || state === "expired");
  // If only some were dropped, others have the message, such as those who replaced a recipient.
  if (hasFailed || copies.every(({ state }) => state === "dropped")) return "message.failed";
  return copies.some(({ state }) => state === "queued") ? "message.queued" : "message.sent";
};

export const messageEvent = (
  hash: Secrets["hash"],
  webhook: WebhookKey,
  alias: Alias,
  message: AttributedMessage,
): SubjectEvent => ({
  id: idOf(hash, webhook, `${alias.id}\u0001${LoggedMessage.position(message)}`, message.revision),
  at: Math.max(message.at, ...message.copies.map(({ at }) => at)),
  type: messageType(message),
  alias,
  message,
});
