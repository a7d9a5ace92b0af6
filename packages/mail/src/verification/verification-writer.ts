import type { EmailAddress } from "@postern/core";
import { toOctets } from "../header/octets.ts";
import { withToken } from "./verification-link.ts";
import { verificationMessage } from "./verification-message.ts";
import { parseVerificationSettings, type VerificationSettings } from "./verification-settings.ts";

/** Writes verification messages. */
export type VerificationWriter = {
  /** The address that messages are sent from and bounces return to. */
  readonly from: EmailAddress;

  /** The message to this mailbox with the link of `token`, in ASCII: its header in the form of `ReceivedMessage.header`, and its body. */
  write(message: {
    /** What is unique in the Message-ID: letters, digits and hyphens. */
    readonly id: string;
    readonly to: EmailAddress;
    readonly token: string;
    /** In epoch milliseconds. */
    readonly now: number;
  }): { readonly header: string; readonly body: Uint8Array };
};

/**
 * Writes verification messages that say this. They have a text and an HTML part, load nothing from the network, and are marked as automatic
 * (RFC 3834).
 *
 * @throws TypeError if a setting is malformed. The message does not repeat the value.
 * @example
 * ```ts
 * const writer = verificationWriter({ from: "postern@alias.example", publicUrl: "https://postern.example.com" });
 * ```
 */
export const verificationWriter = (settings: VerificationSettings): VerificationWriter => {
  const { page, ...about } = parseVerificationSettings(settings);
  return {
    from: about.from,
    write: ({ token, ...message }) => {
      const { header, body } = verificationMessage({ ...about, ...message, link: withToken(page, token) });
      return { header, body: toOctets(body) };
    },
  };
};
