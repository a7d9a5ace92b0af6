import { randomUUID } from "node:crypto";
import { EmailAddress, LINK_LIFETIME } from "@postern/core";
import type { SendMailOptions } from "nodemailer";
import { verificationHtml } from "./templates/verification-html.ts";
import { verificationText } from "./templates/verification-text.ts";
import { english as words } from "./templates/verification-words.ts";

const HOUR = 60 * 60 * 1000;

/**
 * The message that asks the owner of the mailbox `to` to confirm, by opening `link`, that mail may be forwarded to it. It
 * loads nothing from the network, and asks auto-responders not to reply (RFC 3834).
 */
export const verificationMessage = ({
  from,
  to,
  link,
}: {
  readonly from: EmailAddress;
  readonly to: EmailAddress;
  readonly link: string;
}): SendMailOptions => {
  const slots = { link, hours: LINK_LIFETIME / HOUR };
  return {
    envelope: { from, to: [to] },
    from: { name: "Postern", address: from },
    // An object is used as it is; nodemailer would parse a string as a list of addresses.
    to: { address: to },
    subject: words.subject,
    messageId: `<${randomUUID()}@${EmailAddress.domain(from)}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    text: verificationText(words, slots),
    html: verificationHtml(words, slots),
  };
};
