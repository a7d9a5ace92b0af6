export { type SmtpMail, type SmtpMailSettings, smtpMail } from "./smtp-mail.ts";
