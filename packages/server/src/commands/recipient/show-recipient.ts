import type { Recipient } from "@postern/core";
import { printable } from "../printable.ts";

const stateOf = ({ verifiedAt, active }: Recipient): "unverified" | "active" | "inactive" => {
  if (verifiedAt === null) return "unverified";
  return active ? "active" : "inactive";
};

const lineOf = (recipient: Recipient): string =>
  [
    recipient.email,
    stateOf(recipient),
    `${recipient.attached} ${recipient.attached === 1 ? "alias" : "aliases"}`,
    printable(recipient.id),
  ].join("\t");

const jsonOf = (recipient: Recipient): string =>
  JSON.stringify({
    recipient: recipient.id,
    email: recipient.email,
    state: stateOf(recipient),
    aliases: recipient.attached,
  });

/** How a command shows a recipient, on one line. */
export const showRecipient = (flags: ReadonlySet<string>): ((recipient: Recipient) => string) =>
  flags.has("json") ? jsonOf : lineOf;
