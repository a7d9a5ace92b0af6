import { htmlEscape } from "escape-goat";
import { addressText, type Mailbox, type Message } from "../mailbox-files.ts";
import { linked } from "./linked.ts";
import type { Page } from "./page.ts";
import type { Draft, Outcome } from "./send-message.ts";

const TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

const time = (at: Date): string => htmlEscape`<time datetime="${at.toISOString()}">${TIME.format(at)}</time>`;

/** Text from outside, whose direction does not affect what is beside it. */
const foreign = (text: string): string => htmlEscape`<bdi>${text}</bdi>`;

const subjectOf = ({ email }: Message): string => email.subject?.trim() || "(no subject)";

const senderOf = ({ email: { from } }: Message): string =>
  from === undefined ? "(no sender)" : addressText(from);

/** For lists, where the address would take up a line. */
const shortSenderOf = (message: Message): string => message.email.from?.name || senderOf(message);

const pathTo = ({ address }: Mailbox, ...more: readonly string[]): string =>
  ["/mailboxes", encodeURIComponent(address), ...more].join("/");

const counted = (count: number): string => (count === 1 ? "1 message" : `${count} messages`);

const item = (path: string, name: string, about: string): string =>
  `<li>${htmlEscape`<a href="${path}">`}<strong>${foreign(name)}</strong><span>${about}</span></a></li>`;

const TO_MAILBOXES = `<nav><a href="/">All mailboxes</a></nav>`;

/** As somebody whom one of the sample data's aliases has not heard of. */
const FIRST_DRAFT: Draft = {
  from: "Bob <bob@shop.example>",
  to: "shopping@postern.example",
  subject: "",
  text: "",
};

const field = (label: string, name: keyof Draft, value: string, attributes: string): string =>
  `<label>${label} ${htmlEscape`<input name="${name}" value="${value}" autocomplete="off" dir="auto"`} ${attributes}></label>`;

const ADDRESS = `required inputmode="email" autocapitalize="none" spellcheck="false"`;

const form = ({ from, to, subject, text }: Draft): string => `<form method="post" action="/messages">
${field("From", "from", from, ADDRESS)}
${field("To", "to", to, ADDRESS)}
${field("Subject", "subject", subject, "")}
<label>Text
<textarea name="text" rows="8" maxlength="100000" dir="auto">
${htmlEscape(text)}</textarea></label>
<button>Send</button>
</form>`;

/** What is known of a mailbox on the list of all. */
export type Summary = { readonly mailbox: Mailbox; readonly arrivedAt: Date };

/** @param sent whether a message has just been sent */
export const allMailboxes = (summaries: readonly Summary[], sent: boolean): Page => {
  const newestFirst = summaries.toSorted((one, other) => Number(other.arrivedAt) - Number(one.arrivedAt));
  const items = newestFirst.map(({ mailbox, arrivedAt }) =>
    item(
      pathTo(mailbox),
      mailbox.address,
      `${counted(mailbox.messages.length)}, the newest ${time(arrivedAt)}`,
    ),
  );
  const notice = `<p class="note" role="status">The mail server accepted the message. If the alias lets it through, it arrives within seconds: refresh to see it.`;
  return {
    status: 200,
    title: "Mailboxes",
    body: `<h1>Mailboxes</h1>
${sent ? notice : ""}
<p>All mail that leaves the trial arrives here; nothing leaves this machine. Every address has a mailbox.
${items.length === 0 ? "<p>No mail has arrived yet." : `<ul class="list">\n${items.join("\n")}\n</ul>`}
<p class="actions"><a href="/">Refresh</a>
<h2>Send a message</h2>
<p class="quiet">As anybody on the Internet could: write to an alias, and see where the message arrives.
${form(FIRST_DRAFT)}`,
  };
};

/** A message with its number. */
export type Listed = { readonly number: string; readonly message: Message };

/** @param newest its newest messages */
export const oneMailbox = (mailbox: Mailbox, newest: readonly Listed[]): Page => {
  const items = newest.map(({ number, message }) =>
    item(
      pathTo(mailbox, number),
      subjectOf(message),
      `${foreign(shortSenderOf(message))}, ${time(message.arrivedAt)}`,
    ),
  );
  const { length } = mailbox.messages;
  const shown =
    newest.length < length ? `The newest ${newest.length} of ${length} messages` : counted(length);
  return {
    status: 200,
    title: "A mailbox",
    body: `${TO_MAILBOXES}
<h1>${foreign(mailbox.address)}</h1>
<p class="quiet">${shown}
<ul class="list">
${items.join("\n")}
</ul>
<p class="actions">${htmlEscape`<a href="${pathTo(mailbox)}">Refresh</a>`}`,
  };
};

/** @param api where links in the text may lead */
export const oneMessage = (mailbox: Mailbox, number: string, message: Message, api: string): Page => {
  const { to = [], text = "" } = message.email;
  const mailboxLink = htmlEscape`<a href="${pathTo(mailbox)}">`;
  const replyLink = htmlEscape`<a href="${pathTo(mailbox, number, "reply")}">`;
  const rawLink = htmlEscape`<a href="${pathTo(mailbox, number, "as-it-arrived")}">`;
  return {
    status: 200,
    title: "A message",
    body: `<nav><a href="/">All mailboxes</a> ${mailboxLink}${foreign(mailbox.address)}</a></nav>
<h1>${foreign(subjectOf(message))}</h1>
<dl>
<dt>From</dt><dd>${foreign(senderOf(message))}</dd>
<dt>To</dt><dd>${foreign(to.map(addressText).join(", "))}</dd>
<dt>Arrived</dt><dd>${time(message.arrivedAt)}</dd>
</dl>
<pre dir="auto">${linked(text.trim(), api)}</pre>
<p class="actions">${replyLink}Reply</a> ${rawLink}As it arrived</a>`,
  };
};

/** The beginning of an answer, by the owner of the mailbox. */
export const replyTo = ({ address }: Mailbox, { email: { from, subject = "" } }: Message): Draft => ({
  from: address,
  to: from?.address ?? "",
  subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
  text: "",
});

const problemOf = (outcome: Exclude<Outcome, { readonly type: "accepted" }>): string => {
  switch (outcome.type) {
    case "refused": {
      const refused = outcome.forGood ? "refused the message" : "does not take the message now";
      return htmlEscape`The mail server ${refused}. It said: <q>${outcome.answer}</q>`;
    }
    case "invalid": {
      const name = outcome.field === "from" ? "From" : "To";
      return `${name} must be one email address, such as bob@shop.example. Correct it, and send again.`;
    }
    case "unreachable":
      return "The mail server cannot be reached. Is the trial still running?";
  }
};

/** A message to write, or to mend because it was not accepted. */
export const draftPage = (
  draft: Draft,
  outcome: Exclude<Outcome, { readonly type: "accepted" }> | null,
): Page => ({
  status: outcome === null ? 200 : 422,
  title: outcome === null ? "Send a message" : "Not sent",
  body: `${TO_MAILBOXES}
<h1>${outcome === null ? "Send a message" : "The message was not sent"}</h1>
${outcome === null ? "" : `<p class="note" role="alert">${problemOf(outcome)}`}
${form(draft)}`,
});

export const problemPage = (status: number, problem: string): Page => ({
  status,
  title: "Problem",
  body: `${TO_MAILBOXES}
<h1>That did not work</h1>
${htmlEscape`<p>${problem}`}`,
});
