export { type NotListening, type SmtpIn, type SmtpInEvent, type SmtpInSettings, smtpIn } from "./smtp-in.ts";
export type { TlsKeyPair } from "./tls-key-pair.ts";
