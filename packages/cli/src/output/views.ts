import type { Schemas } from "@postern/client";
import type { View } from "./print.ts";
import { timeText } from "./time.ts";

type Alias = Schemas["Alias"];
type Recipient = Schemas["Recipient"];
type Message = Schemas["Message"];
type Webhook = Schemas["Webhook"];

const GOOD = "green";
const IDLE = "yellow";
const BAD = "red";

const aliasState = ({ active, datetime_deleted }: Alias): "on" | "off" | "deleted" => {
  if (datetime_deleted !== null) return "deleted";
  return active ? "on" : "off";
};

const counted = (count: number, last: number | null): string =>
  last === null ? `${count}` : `${count}, last ${timeText(last)}`;

export const ALIAS: View<Alias> = {
  name: ({ alias_email }) => alias_email,
  columns: [
    { title: "ALIAS", text: ({ alias_email }) => alias_email, whole: true },
    {
      title: "STATE",
      text: aliasState,
      style: (alias) => (({ on: GOOD, off: IDLE, deleted: BAD }) as const)[aliasState(alias)],
    },
    { title: "FORWARDS TO", text: ({ destination_emails }) => destination_emails.join(", ") },
    { title: "DESCRIPTION", text: ({ description }) => description },
  ],
  details: [
    ["id", ({ alias_id }) => alias_id],
    ["sent", (alias) => counted(alias.emails_sent, alias.datetime_last_sent)],
    ["delivered", (alias) => counted(alias.emails_delivered, alias.datetime_last_delivered)],
    ["bounced", (alias) => counted(alias.emails_bounced, alias.datetime_last_bounced)],
    ["complaints", (alias) => counted(alias.emails_complaint, alias.datetime_last_complaint)],
    ["replied", (alias) => counted(alias.emails_replied, alias.datetime_last_replied)],
    ["blocked", (alias) => counted(alias.emails_blocked, alias.datetime_last_blocked)],
    ["created", ({ datetime_created }) => timeText(datetime_created)],
    ["changed", ({ datetime_updated }) => timeText(datetime_updated)],
    ["deleted", ({ datetime_deleted }) => timeText(datetime_deleted)],
  ],
};

export const ALIAS_WITH_WEBSITE: View<Alias & Schemas["AliasWebsite"]> = {
  ...ALIAS,
  details: [["website", ({ website }) => website], ...ALIAS.details],
};

export const RULES: View<Schemas["AliasRules"]> = {
  name: ({ accept_from }) => accept_from,
  columns: [
    { title: "ACCEPTS FROM", text: ({ accept_from }) => accept_from },
    { title: "SENDERS", text: ({ senders }) => senders.join(", ") },
    { title: "ENDS", text: ({ active_until }) => (active_until === null ? "never" : timeText(active_until)) },
    {
      title: "MESSAGES LEFT",
      text: ({ messages_left }) => (messages_left === null ? "unlimited" : `${messages_left}`),
    },
  ],
  details: [],
};

const recipientState = ({ active, verified }: Recipient): "ready" | "off" | "unverified" => {
  if (!verified) return "unverified";
  return active ? "ready" : "off";
};

export const RECIPIENT: View<Recipient> = {
  name: ({ recipient_email }) => recipient_email,
  columns: [
    { title: "RECIPIENT", text: ({ recipient_email }) => recipient_email, whole: true },
    {
      title: "STATE",
      text: recipientState,
      style: (recipient) =>
        (({ ready: GOOD, off: IDLE, unverified: IDLE }) as const)[recipientState(recipient)],
    },
    { title: "ALIASES", text: ({ alias_count }) => `${alias_count}` },
    { title: "NOTE", text: ({ verification_note }) => verification_note ?? "" },
  ],
  details: [
    ["id", ({ recipient_id }) => recipient_id],
    ["verified", ({ datetime_verified }) => timeText(datetime_verified)],
    ["default since", ({ datetime_default }) => timeText(datetime_default)],
    ["link sent", ({ datetime_verification_sent }) => timeText(datetime_verification_sent)],
    ["created", ({ datetime_created }) => timeText(datetime_created)],
    ["changed", ({ datetime_updated }) => timeText(datetime_updated)],
  ],
};

export const CONTACT: View<Schemas["Contact"]> = {
  name: ({ email }) => email,
  columns: [
    { title: "CONTACT", text: ({ email }) => email, whole: true },
    {
      title: "BLOCKING",
      text: ({ blocking }) => blocking,
      style: ({ blocking }) => (blocking === "none" ? GOOD : BAD),
    },
    { title: "LAST RECEIVED", text: ({ datetime_last_received }) => timeText(datetime_last_received) },
    { title: "LAST SENT", text: ({ datetime_last_sent }) => timeText(datetime_last_sent) },
    { title: "WRITE TO", text: ({ reverse_email }) => reverse_email },
  ],
  details: [
    ["id", ({ contact_id }) => contact_id],
    ["added", ({ datetime_added }) => timeText(datetime_added)],
    ["created", ({ datetime_created }) => timeText(datetime_created)],
  ],
};

/** What became of a message: one word, unless its copies have fared differently. */
const outcome = ({ blocked, recipients, count }: Message): string => {
  if (blocked !== null) return `blocked: ${blocked.code}${count > 1 ? ` (${count} messages)` : ""}`;
  return [...new Set(recipients.map(({ state }) => state))].join(", ");
};

const isFailed = ({ blocked, recipients }: Message): boolean =>
  blocked !== null || recipients.some(({ state }) => state === "bounced" || state === "expired");

export const MESSAGE: View<Message> = {
  name: ({ message_id }) => message_id,
  columns: [
    { title: "TIME", text: ({ datetime_received }) => timeText(datetime_received), whole: true },
    { title: "DIRECTION", text: ({ direction }) => direction },
    { title: "CONTACT", text: ({ contact }) => contact?.email ?? "" },
    { title: "OUTCOME", text: outcome, style: (message) => (isFailed(message) ? BAD : GOOD) },
    { title: "SUBJECT", text: ({ subject }) => subject ?? "" },
    { title: "MESSAGE", text: ({ message_id }) => message_id, whole: true },
  ],
  details: [
    ["blocked", ({ blocked }) => blocked?.message ?? null],
    ["size", ({ size }) => (size === null ? null : `${size} octets`)],
    ["unsubscribes from", ({ unsubscribes_from }) => unsubscribes_from],
    [
      "copies",
      ({ recipients }) =>
        recipients
          .map(({ email, state, reason }) => `${email} ${state}${reason ? ` (${reason.message})` : ""}`)
          .join("; "),
    ],
    ["can be sent again until", ({ resendable_until }) => timeText(resendable_until)],
  ],
};

export const BLOCKED_SENDER: View<Schemas["BlockedSender"]> = {
  name: ({ sender }) => sender,
  columns: [
    { title: "SENDER", text: ({ sender }) => sender, whole: true },
    { title: "SINCE", text: ({ datetime_created }) => timeText(datetime_created) },
  ],
  details: [],
};

export const WEBHOOK: View<Webhook> = {
  name: ({ webhook_id }) => webhook_id,
  columns: [
    { title: "WEBHOOK", text: ({ webhook_id }) => webhook_id, whole: true },
    {
      title: "STATE",
      text: ({ active, off_reason }) => (active ? "on" : `off: ${off_reason}`),
      style: ({ active }) => (active ? GOOD : IDLE),
    },
    { title: "URL", text: ({ url }) => url },
    { title: "EVENTS", text: ({ events }) => events.join(", ") },
  ],
  details: [
    ["created", ({ datetime_created }) => timeText(datetime_created)],
    ["changed", ({ datetime_updated }) => timeText(datetime_updated)],
  ],
};

const isOver = (time: number | null): boolean => time !== null && time <= Date.now();

export const KEY: View<Schemas["ApiKey"]> = {
  name: ({ key_id }) => key_id,
  columns: [
    { title: "NAME", text: ({ name }) => name, whole: true },
    { title: "SCOPES", text: ({ scopes }) => scopes.join(", ") },
    { title: "LAST USED", text: ({ datetime_last_used }) => timeText(datetime_last_used) },
    { title: "BY", text: ({ last_used_by }) => last_used_by ?? "" },
    {
      title: "EXPIRES",
      text: ({ expires }) => (expires === null ? "never" : timeText(expires)),
      style: ({ expires }) => (isOver(expires) ? BAD : GOOD),
    },
    { title: "KEY", text: ({ key_id }) => key_id, whole: true },
  ],
  details: [],
};

const limit = (value: number | null): string => (value === null ? "unlimited" : `${value}`);

export const SERVICE: View<Schemas["Service"]> = {
  name: ({ alias_domains }) => alias_domains[0] ?? "",
  columns: [
    { title: "ALIAS DOMAINS", text: ({ alias_domains }) => alias_domains.join(", ") },
    { title: "WEBHOOKS", text: ({ webhooks }) => (webhooks ? "yes" : "no") },
    { title: "KEYS", text: ({ keys_url }) => keys_url ?? "no" },
  ],
  details: [
    ["requests a minute", ({ limits }) => limit(limits.requests_per_minute)],
    ["creations a minute", ({ limits }) => limit(limits.creations_per_minute)],
    ["aliases", ({ limits }) => limit(limits.aliases)],
    ["recipients", ({ limits }) => limit(limits.recipients)],
    ["unverified recipients", ({ limits }) => limit(limits.unverified_recipients)],
    ["links a day", ({ limits }) => limit(limits.verification_messages_per_day)],
    ["blocked senders", ({ limits }) => limit(limits.blocked_senders)],
    ["webhooks", ({ limits }) => limit(limits.webhooks)],
    ["contacts of an alias", ({ limits }) => limit(limits.contacts_per_alias)],
    ["logged messages", ({ limits }) => limit(limits.logged_messages)],
    ["logged messages of an alias", ({ limits }) => limit(limits.logged_messages_per_alias)],
  ],
};

export const HEALTH: View<Schemas["Health"]> = {
  name: ({ status }) => status,
  columns: [{ title: "STATUS", text: ({ status }) => status }],
  details: [],
};
