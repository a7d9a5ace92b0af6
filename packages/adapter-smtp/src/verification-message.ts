import { randomUUID } from "node:crypto";
import { EmailAddress, LINK_LIFETIME } from "@postern/core";
import { wordsIn } from "@postern/core/words";
import type { SendMailOptions } from "nodemailer";
import { type Slots, verificationHtml } from "./templates/verification-html.ts";
import { verificationText } from "./templates/verification-text.ts";

const HOUR = 60 * 60 * 1000;

/**
 * The message that asks the owner of the mailbox `to` to confirm, by opening `link`, that mail may be forwarded to it. It
 * loads nothing from the network, and asks auto-responders not to reply (RFC 3834).
 */
export const verificationMessage = ({
  from,
  to,
  ...about
}: Omit<Slots, "hours"> & {
  readonly from: EmailAddress;
  readonly to: EmailAddress;
}): SendMailOptions => {
  const words = wordsIn(about.language).message;
  const { name } = about.service;
  const slots = { ...about, hours: LINK_LIFETIME / HOUR };
  return {
    envelope: { from, to: [to] },
    from: { name, address: from },
    // An object is used as it is; nodemailer would parse a string as a list of addresses.
    to: { address: to },
    subject: words.subject(name),
    messageId: `<${randomUUID()}@${EmailAddress.domain(from)}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    text: verificationText(words, slots),
    html: verificationHtml(words, slots),
  };
};
