import type { SMTPPoolOptions } from "nodemailer";
import { parseConnectionUrl } from "nodemailer/lib/shared";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import { plainLogin } from "./plain-login.ts";

/** Mail servers commonly refuse clients that open many more. */
export const MAX_CONNECTIONS = 5;

type PoolOptions = SMTPPoolOptions & { pool: true };

/**
 * The connection options for the server at `url`. The URL can set nodemailer's other connection options too (`name`,
 * `requireTLS`, `tls.servername`, …), except those that would lift a limit below or write messages to a log.
 */
export const poolOptions = (url: string, timeoutMs: number): PoolOptions => ({
  ...server(url),
  pool: true,
  logger: false,
  // Without it, nodemailer ignores the user and password of the URL if the server does not offer AUTH. Nobody would be logged in,
  // and the server could refuse each recipient for good.
  forceAuth: true,
  customAuth: { PLAIN: plainLogin },
  maxConnections: MAX_CONNECTIONS,
  // The caller can retry. Retrying here as well would double the load on a server in trouble.
  maxRequeues: 0,
  // Covers the name lookup, connecting, the greeting and TLS.
  connectionTimeout: timeoutMs,
  // Also closes a connection on which the server stops responding between two messages.
  socketTimeout: timeoutMs,
  // Shorter than the socket timeout, so that an idle connection ends with QUIT.
  idleTimeout: timeoutMs / 2,
});

/** How long a relay may take, in milliseconds. */
export type RelayTimeouts = {
  /** For the name lookup, connecting, the greeting and TLS. */
  readonly connect: number;
  /** Without a sign of life, such as a reply to a command or to the message. */
  readonly silence: number;
  /** Until it accepts DATA, including the wait for a connection. */
  readonly begin: number;
  /** For a message, from the beginning to the reply. */
  readonly message: number;
  /** After which an idle connection is closed with QUIT. */
  readonly idle: number;
};

/** Like `poolOptions`, for a relay that knows us as `name` (EHLO) unless the URL says otherwise. */
export const relayOptions = (
  url: string,
  name: string,
  connections: number,
  { connect, silence, idle }: RelayTimeouts,
): PoolOptions => ({
  name,
  ...poolOptions(url, silence),
  maxConnections: connections,
  connectionTimeout: connect,
  greetingTimeout: connect,
  idleTimeout: idle,
});

/**
 * How many connections to the server at `url` may be open: as many as its `maxConnections` says, and never more than `most`.
 *
 * @throws TypeError if that is not a number from 1
 */
export const connectionsTo = (url: string, most: number): number => {
  const wanted = URL.parse(url)?.searchParams.get("maxConnections") ?? null;
  if (wanted === null) return most;
  if (!/^[1-9]\d{0,8}$/.test(wanted)) throw new TypeError("maxConnections in url must be a number from 1");
  return Math.min(Number(wanted), most);
};

const server = (url: string) => {
  const parsed = URL.parse(url);
  if (!parsed?.hostname || !["smtp:", "smtps:"].includes(parsed.protocol)) throw invalidUrl();
  if ((parsed.username === "") !== (parsed.password === ""))
    throw new TypeError("url must have a user and a password, or neither");
  try {
    return parseConnectionUrl(url);
  } catch {
    // The original error quotes the URL, and with it the password.
    throw invalidUrl();
  }
};

const invalidUrl = () => new TypeError("url must look like smtp://host:port or smtps://host:port");

/**
 * The options for one connection, with the credentials of the URL, which a connection does not use by itself. `name` is for EHLO, unless
 * the URL says otherwise; undefined for nodemailer's choice.
 */
export const checkOptions = (
  url: string,
  name: string | undefined,
  timeoutMs: number,
): SMTPConnectionOptions & {
  readonly auth?: { readonly user: string; readonly pass: string } | undefined;
  readonly authMethod?: string;
} => ({
  ...(name !== undefined && { name }),
  ...server(url),
  logger: false,
  customAuth: { PLAIN: plainLogin },
  connectionTimeout: timeoutMs,
  socketTimeout: timeoutMs,
});
