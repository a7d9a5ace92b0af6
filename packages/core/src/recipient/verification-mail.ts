import type { MailRefused, NotSent } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId } from "../values/identifiers.ts";

/**
 * Sends the verification messages. `smtpMail` of `@postern/adapter-smtp` and `sesMail` of `@postern/adapter-ses` are implementations.
 *
 * @example Your own implementation
 * ```ts
 * const verificationMail: VerificationMail = {
 *   send: async ({ to, token }) => {
 *     const text = `Confirm your address: https://app.example/verify?token=${token}`;
 *     try {
 *       await transport.sendMail({ from, to, subject: "Your address", text });
 *       return ok();
 *     } catch {
 *       return err({ code: "unavailable", cause: { source: "mail", reason: "sendMail failed" } });
 *     }
 *   },
 * };
 * ```
 */
export type VerificationMail = {
  /**
   * Whether `send` only stores the message durably, to be sent later: the outcome is then recorded for the recipient once
   * it is known. False by default.
   */
  readonly queues?: boolean | undefined;

  /**
   * Hands the message over for sending, within a deadline. `not_sent` if it was definitely not handed over; `mail_refused` if the mail
   * server refused it; `unavailable` if it is unknown whether it was sent. With a `refusal`, the owner is told that the address is not to
   * blame. `account` allows capacity to be shared fairly; the message must
   * not contain it. If it rejects nevertheless, that counts as `unavailable` and is reported to `onUnreported`.
   */
  send(message: {
    readonly account: AccountId;
    readonly to: EmailAddress;
    readonly token: string;
  }): PortResult<void, NotSent | MailRefused>;
};
