import type { SMTPPoolOptions } from "nodemailer";
import { parseConnectionUrl } from "nodemailer/lib/shared";

/** Servers commonly refuse a client that opens many more. */
const MOST_CONNECTIONS = 5;

/**
 * How to reach the server that `url` names. The URL may carry nodemailer's other connection options as well
 * (`name`, `requireTLS`, `tls.servername`, …), except those that would undo a limit below or write messages
 * to a log.
 */
export const poolOptions = (url: string, deadline: number): SMTPPoolOptions & { pool: true } => ({
  ...server(url),
  pool: true,
  logger: false,
  maxConnections: MOST_CONNECTIONS,
  // Who sends may ask again; doing it here would double the load on a server in trouble.
  maxRequeues: 0,
  // The whole of it: name lookup, connecting, greeting and TLS.
  connectionTimeout: deadline,
  // Also ends a connection on which the server falls silent between two messages.
  socketTimeout: deadline,
  // Sooner than that, so that an idle connection ends with QUIT.
  idleTimeout: deadline / 2,
});

const server = (url: string) => {
  const parsed = URL.parse(url);
  if (!parsed?.hostname || !["smtp:", "smtps:"].includes(parsed.protocol)) throw notAServer();
  try {
    return parseConnectionUrl(url);
  } catch {
    // The error at hand quotes the URL, and with it the password.
    throw notAServer();
  }
};

const notAServer = () => new TypeError("The SMTP URL must look like smtp://host:port or smtps://host:port");
