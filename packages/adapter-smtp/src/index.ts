import { smtpMailWithin } from "./smtp-mail.ts";

/**
 * Verification mail over SMTP. Every message is handed over within 10 seconds or `unavailable`; `smtpMailWithin`
 * says what else holds.
 */
export const smtpMail = smtpMailWithin(10_000);
