export { checkSmtp, type RefusedSender, type SmtpCheck, type SmtpSecurity } from "./check-smtp.ts";
export { type SmtpRelay, type SmtpRelaySettings, smtpRelay } from "./relay/smtp-relay.ts";
export { type DkimSignerSettings, dkimSigner } from "./signing/dkim-signer.ts";
export { type SmtpMail, type SmtpMailSettings, smtpMail } from "./smtp-mail.ts";
