import { expectMatch } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import { messageRefusal, recordMessage } from "./messages.ts";
import { at } from "./model.ts";

/** How long a link is valid. */
const LIFETIME = 24 * 60 * 60 * 1000;

const LINK_INVALID = { error: { code: "link_invalid" } };

/** Opens the link in the message before the last `age` messages; 0 is the newest. */
export const verify = (n: number, age: number): Command =>
  command(`open link ${age} of recipient ${n}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    const message = recipient?.messages.at(-1 - age);
    const verified = await service.verifyRecipient({ token: message?.token ?? "forged" });
    const works = message !== undefined && age === 0 && ports.clock.now() < message.sentAt + LIFETIME;
    if (recipient === undefined || !works) {
      expectMatch(verified, LINK_INVALID);
      return;
    }
    recipient.verifiedAt ??= ports.clock.now();
    expectMatch(verified, { value: { id: recipient.id, verifiedAt: recipient.verifiedAt } });
  });

export const resend = (n: number): Command =>
  command(`send recipient ${n} a new link`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const refusal = messageRefusal(model, recipient, ports.clock.now());
    const resent = await service.resendVerification({ account, recipientId });
    if (recipient.verifiedAt !== null) {
      expectMatch(resent, { value: { verification: "not_needed" } });
    } else if (refusal !== null) {
      expectMatch(resent, { error: { code: refusal } });
    } else {
      expectMatch(resent, { value: { verification: "sent" } });
      recordMessage(model, recipient, ports);
    }
  });

/** Suppresses the mailbox with the link in any message that was sent, even if its recipient no longer exists. */
export const suppress = (n: number): Command =>
  command(`suppress the mailbox of message ${n}`, async (model, { service }) => {
    const message = at(model.messages, n);
    const suppressed = await service.suppressMailbox({ token: message?.token ?? "forged" });
    if (message === undefined) {
      expectMatch(suppressed, LINK_INVALID);
      return;
    }
    expectMatch(suppressed, { value: undefined });
    model.suppressed.add(message.mailbox);
  });
