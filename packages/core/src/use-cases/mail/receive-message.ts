import { err, ok, type Result } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { Blocking } from "../../contact/contact.ts";
import type { Unavailable } from "../../errors.ts";
import { admitMessage, type DmarcMode, type MessageRefusal } from "../../mail/admission.ts";
import { type AliasAddress, Copy, type NamedContact } from "../../mail/copy.ts";
import type { HeaderField } from "../../mail/header-fields.ts";
import { loopMark } from "../../mail/loops.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import { type MessageId, messageSize, type ReceivedMessage } from "../../mail/message.ts";
import type { ReceivedBody, Spool, SpoolFull } from "../../mail/ports.ts";
import type { ReplyRefusal } from "../../mail/reply-admission.ts";
import type { Clock, PortResult, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import { isNonEmpty, type NonEmpty } from "../../values/non-empty.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";
import type { resolveAlias } from "../aliases/resolve-alias.ts";
import type { AdmittedRecipient } from "./admit-recipient.ts";
import { countBlocked } from "./count-blocked.ts";
import type { meetCorrespondents } from "./meet-correspondents.ts";
import type { PreparedReply, prepareReply } from "./prepare-reply.ts";

type ForwardedTo = Extract<AdmittedRecipient, { readonly kind: "alias" | "contact" | "postmaster" }>;

/** A message that has arrived, with the recipients that were admitted. */
export type ArrivedMail = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  /** Received by the spool of the mail plane. The caller discards it afterwards, which has no effect if it was kept. */
  readonly body: ReceivedBody;
  readonly recipients: NonEmpty<ForwardedTo>;
};

/** The aliases that the message is for take no mail from its author. */
export type SenderBlocked = { readonly code: "sender_blocked" };

/** Between RCPT and the end of the message. If the client tries again, it is told about each recipient. */
const CHANGED_MEANWHILE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "an alias stopped accepting mail while the message arrived" },
};

/** What of a message concerns one alias. */
type Concern = {
  readonly alias: AliasAddress;
  /** Whether the alias itself is among the recipients. */
  isForwarded: boolean;
  /** Those of its contacts that are. */
  readonly contacts: Map<string, NamedContact>;
};

type Addressed = Pick<Copy, "to" | "purpose">;

type Arrived = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  readonly fields: readonly HeaderField[];
};

/** What becomes of a message as far as it concerns one alias. */
type Decision = {
  readonly alias: AliasAddress;
  readonly forwarded: readonly Addressed[];
  readonly reply: PreparedReply | null;
  /** Whether the alias takes no mail from its author. */
  readonly blocking: Blocking;
};

const concernsOf = (recipients: readonly ForwardedTo[]): readonly Concern[] => {
  const concerns = new Map<string, Concern>();
  for (const recipient of recipients) {
    if (recipient.kind === "postmaster") continue;
    const { alias } = recipient;
    const key = JSON.stringify([alias.account, alias.id]);
    const concern = concerns.get(key) ?? { alias, isForwarded: false, contacts: new Map() };
    concerns.set(key, concern);
    if (recipient.kind === "alias") concern.isForwarded = true;
    else concern.contacts.set(recipient.contact.id, recipient.contact);
  }
  return [...concerns.values()];
};

/**
 * Accepts a message. It is stored with one copy for each recipient of each alias, and one for the operator if it is for the
 * operator too; and what it is for contacts of an alias, as a message of its own, with one copy for each (`replyHeader`). An alias
 * or contact that was named several times, with different tags or case, counts once. The recipients are those that the aliases
 * have now, except one who has written to contacts of the same alias with this message.
 *
 * Once it returns an id, everything is stored durably; null means that nothing was to be stored. A message that is refused
 * because of DMARC, or whose author is blocked, counts as `blocked` for each alias. If it fails with `unavailable`, replies may
 * have been stored, and are sent twice if the client tries again.
 */
export const receiveMessage = ({
  postmaster,
  dmarc,
  resolve,
  record,
  meet,
  reply,
  spool,
  secrets,
  clock,
}: {
  /** The operator's mailbox. */
  readonly postmaster: EmailAddress;
  readonly dmarc: DmarcMode;
  readonly resolve: ReturnType<typeof resolveAlias>;
  readonly record: ReturnType<typeof recordMailOutcome>;
  readonly meet: ReturnType<typeof meetCorrespondents>;
  readonly reply: ReturnType<typeof prepareReply>;
  readonly spool: Pick<Spool, "receive" | "keep">;
  readonly secrets: Pick<Secrets, "random" | "hash">;
  readonly clock: Pick<Clock, "now">;
}) => {
  const resolveNow = async ({ email }: AliasAddress): PortResult<Alias> => {
    const resolved = await resolve({ address: email });
    if (resolved.isOk()) return ok(resolved.value.alias);
    return err(resolved.error.code === "unavailable" ? resolved.error : CHANGED_MEANWHILE);
  };

  /** What becomes of the message as far as it concerns one alias. */
  const decide = async (
    { alias: address, isForwarded, contacts }: Concern,
    mail: Arrived,
  ): PortResult<Decision, ReplyRefusal> => {
    const resolved = await resolveNow(address);
    if (resolved.isErr()) return err(resolved.error);
    const alias = resolved.value;
    const to = [...contacts.values()];
    const answered = isNonEmpty(to) ? await reply(alias, to, mail) : ok(null);
    if (answered.isErr()) return err(answered.error);
    const met = isForwarded ? await meet(alias, mail) : ok(null);
    if (met.isErr()) return err(met.error);
    const blocking = met.value?.blocking ?? "none";
    if (met.value === null || blocking !== "none") {
      return ok({ alias: address, forwarded: [], reply: answered.value, blocking });
    }
    const { contacts: named } = met.value;
    // Who answers everybody answers the alias too, and needs no copy.
    const others = alias.destinations.filter(({ email }) => email !== answered.value?.author);
    const forwarded = others.map(
      ({ email, recipientId }): Addressed => ({
        to: email,
        purpose: { kind: "forward", alias: address, recipient: recipientId, contacts: named },
      }),
    );
    return ok({ alias: address, forwarded, reply: answered.value, blocking });
  };

  /** Stores a reply with this body or, if that is needed for something else, with one like it. */
  const keepReply = async (
    { message, copies }: PreparedReply,
    body: ReceivedBody,
    isNeeded: boolean,
  ): PortResult<MessageId, SpoolFull> => {
    const own = isNeeded ? await spool.receive(body.read()) : ok(body);
    if (own.isErr()) return err(own.error);
    const size = messageSize(message.header, body.size);
    const kept = await spool.keep({ message: { ...message, size }, body: own.value, copies });
    if (kept.isErr()) await own.value.discard();
    return kept.map(() => message.id);
  };

  const keepForwarded = async (
    mail: Arrived,
    body: ReceivedBody,
    addressed: NonEmpty<Addressed>,
  ): PortResult<MessageId, SpoolFull> => {
    const { returnPath, header, session, authentication } = mail;
    const now = clock.now();
    const id = newMessageId(secrets.random);
    const message: ReceivedMessage = {
      origin: "received",
      id,
      createdAt: now,
      returnPath,
      header,
      size: messageSize(header, body.size),
      session,
      authentication,
    };
    const copy = ({ to, purpose }: Addressed): Copy =>
      Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, now);
    const [first, ...others] = addressed;
    return (await spool.keep({ message, body, copies: [copy(first), ...others.map(copy)] })).map(() => id);
  };

  return async ({
    recipients,
    body,
    ...mail
  }: ArrivedMail): PortResult<
    MessageId | null,
    MessageRefusal | ReplyRefusal | SenderBlocked | SpoolFull
  > => {
    const concerns = concernsOf(recipients);
    const toAliases = concerns.filter(({ isForwarded }) => isForwarded).map(({ alias }) => alias);
    const admitted = admitMessage(
      { ...mail, toAlias: toAliases.length > 0 },
      { mark: loopMark(secrets.hash), dmarc },
    );
    if (admitted.isErr()) {
      if (admitted.error.code === "sender_not_authentic") {
        const counted = await countBlocked({ record, secrets, clock }, toAliases);
        if (counted.isErr()) return err(counted.error);
      }
      return err(admitted.error);
    }

    const arrived = { ...mail, fields: admitted.value };
    const decisions: Decision[] = [];
    for (const concern of concerns) {
      const decided = await decide(concern, arrived);
      if (decided.isErr()) return err(decided.error);
      decisions.push(decided.value);
    }
    const blocking = decisions.filter(({ blocking }) => blocking !== "none");
    const counted = await countBlocked(
      { record, secrets, clock },
      blocking.map(({ alias }) => alias),
    );
    if (counted.isErr()) return err(counted.error);

    const forOperator = recipients.find((recipient) => recipient.kind === "postmaster");
    const addressed = [
      ...(forOperator === undefined
        ? []
        : [{ to: postmaster, purpose: { kind: "postmaster", address: forOperator.address } } as const]),
      ...decisions.flatMap(({ forwarded }) => forwarded),
    ];
    const replies = decisions.flatMap(({ reply }) => reply ?? []);
    let kept: MessageId | null = null;
    for (const [place, prepared] of replies.entries()) {
      const isNeeded = addressed.length > 0 || place < replies.length - 1;
      const stored: Result<MessageId, SpoolFull | Unavailable> = await keepReply(prepared, body, isNeeded);
      if (stored.isErr()) return err(stored.error);
      kept = stored.value;
    }
    if (isNonEmpty(addressed)) return keepForwarded(arrived, body, addressed);
    const isRefused = kept === null && blocking.some(({ blocking }) => blocking === "reject");
    return isRefused ? err({ code: "sender_blocked" }) : ok(kept);
  };
};
