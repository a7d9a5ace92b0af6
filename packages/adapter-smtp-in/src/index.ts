export {
  type NotListening,
  type SmtpIn,
  type SmtpInEvent,
  type SmtpInSettings,
  smtpIn,
  type TlsKeyPair,
} from "./smtp-in.ts";
