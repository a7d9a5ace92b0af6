import { err, ok } from "@postern/core";
import type { VerificationWriter } from "@postern/mail";
import MailComposer from "nodemailer/lib/mail-composer";
import { causeOf } from "./cause.ts";
import { withToken } from "./verification-link.ts";
import { verificationMessage } from "./verification-message.ts";
import { parseVerificationSettings, type VerificationSettings } from "./verification-settings.ts";

const END_OF_HEADER = "\r\n\r\n";

/**
 * Writes the messages that `smtpMail` would send, for a spool that sends them later.
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
    write: async ({ to, token }) => {
      const message = verificationMessage({ ...about, to, link: withToken(page, token) });
      let octets: Buffer;
      try {
        octets = await new MailComposer({ ...message, newline: "windows" }).compile().build();
      } catch (error) {
        return err({ code: "unavailable", cause: causeOf(error, false) });
      }
      const end = octets.indexOf(END_OF_HEADER) + "\r\n".length;
      return ok({
        header: octets.toString("latin1", 0, end),
        body: octets.subarray(end + "\r\n".length),
      });
    },
  };
};
