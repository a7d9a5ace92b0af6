export { checkSmtp, type SmtpCheck, type SmtpSecurity } from "./check-smtp.ts";
export { type SmtpMail, type SmtpMailSettings, smtpMail } from "./smtp-mail.ts";
