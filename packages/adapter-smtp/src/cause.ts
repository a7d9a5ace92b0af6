import type { Cause } from "@postern/core";
import { NOT_OFFERED } from "./plain-login.ts";

const because = (reason: string): Cause => ({ source: "smtp", reason });

export const QUEUE_FULL = because("too many messages are pending");
export const NO_TURN = because("timeout before a connection was free");

/** The format of the error codes of nodemailer and Node. Anything else could be text from the server. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

const codeIn = (error: Error, field: "code" | "originalCode"): string | null => {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "string" && CODE.test(value) ? value : null;
};

/** The commands that the server can refuse. Only the first word of AUTH: the method says little. */
const COMMANDS = ["EHLO", "HELO", "STARTTLS", "AUTH", "MAIL FROM", "RCPT TO", "DATA", "RSET"] as const;

/** The server's reply, such as `550 to RCPT TO`: its code, without its text. Null if there was none. */
const replyOf = (error: Error): string | null => {
  const code = "responseCode" in error ? Number(error.responseCode) : Number.NaN;
  if (!(code >= 100 && code <= 599)) return null;
  const sent = "command" in error ? String(error.command) : "";
  const command = COMMANDS.find((each) => sent.startsWith(each));
  return command === undefined ? `${code}` : `${code} to ${command}`;
};

const reasonOf = (error: Error): string => {
  const reply = replyOf(error);
  if (reply !== null) return reply;
  const code = codeIn(error, "code");
  const original = codeIn(error, "originalCode");
  const ofSystem = "syscall" in error;
  switch (code) {
    case "EABORT":
    case "ETIMEDOUT":
      return "timeout";
    case "EDNS":
      return `name lookup: ${original ?? "failed"}`;
    case "EAUTH":
      return original === NOT_OFFERED ? "no login offered" : code;
    case "EPROTOCOL":
      return "a reply that is not SMTP";
    case "ECONNECTION":
      return "connection closed";
    case "ESTREAM":
      return "the body broke off";
    case "ETLS":
      return `tls: ${original ?? "failed"}`;
    case "ESOCKET":
      if (!ofSystem) return `tls: ${original ?? "failed"}`;
      return `${error.syscall === "connect" ? "connect" : "connection"}: ${original ?? "failed"}`;
    default:
      return code ?? "failed";
  }
};

/**
 * Why a message was not sent, or may not have been. Never the server's text, which can repeat the address.
 *
 * @param begun whether the server has accepted DATA
 */
export const causeOf = (error: unknown, begun: boolean): Cause => {
  const reason = error instanceof Error ? reasonOf(error) : "failed";
  return because(begun && !reason.endsWith("DATA") ? `${reason} after DATA` : reason);
};
