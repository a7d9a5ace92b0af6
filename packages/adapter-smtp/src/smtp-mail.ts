import { randomUUID } from "node:crypto";
import type { VerificationMail } from "@postern/core";
import { type VerificationSettings, verificationWriter } from "@postern/mail";
import { NO_TURN, QUEUE_FULL } from "./cause.ts";
import { mailPool } from "./mail-pool.ts";
import { MAX_CONNECTIONS } from "./pool-options.ts";
import { fairTurns } from "./turns.ts";

export type SmtpMailSettings = VerificationSettings & {
  /**
   * The mail server, as `smtp://user:password@host:port` or `smtps://…`, with user and password percent-encoded.
   * If there are any, nothing is sent without a login, and a server that offers none does not get the password.
   *
   * `smtps` uses TLS from the start. `smtp` upgrades with STARTTLS if the server offers it; `?requireTLS=true` refuses to
   * send without it. Require it unless the network to the server is private: an attacker on the path can otherwise
   * suppress the upgrade and read the messages and the password. Certificates are verified unless the URL says
   * `?tls.rejectUnauthorized=false`.
   */
  readonly url: string;
};

export type SmtpMail = VerificationMail & {
  /** Closes the connections. Messages being sent are finished; waiting ones are `not_sent`. Idempotent. */
  close(): void;
};

const TIMEOUT_MS = 10_000;

/** More messages than this would pile up in memory behind a slow server. */
const MAX_PENDING = 100;

/** `smtpMail` with another timeout for each message. */
export const smtpMailWithin = (timeoutMs: number, { url, ...settings }: SmtpMailSettings): SmtpMail => {
  const writer = verificationWriter(settings);
  const pool = mailPool(url, timeoutMs);
  const turns = fairTurns({ places: MAX_PENDING, servers: MAX_CONNECTIONS });
  return {
    send: async ({ account, to, token }) => {
      const sent = await turns.run(account, timeoutMs, (signal) => {
        const message = writer.write({ id: randomUUID(), to, token, now: Date.now() });
        return pool.send({ ...message, from: writer.from, to }, signal);
      });
      return sent.mapErr((error) => {
        switch (error) {
          case "full":
            return { code: "not_sent", cause: QUEUE_FULL };
          case "late":
            return { code: "not_sent", cause: NO_TURN };
          default:
            return error;
        }
      });
    },
    close: pool.close,
  };
};

/**
 * Sends verification messages over SMTP. Opens no connection before the first message, and then reuses up to five.
 *
 * - `send` succeeds once the server has accepted the message. It takes at most 10 seconds, including the wait for a turn
 *   and for a connection. It never rejects.
 * - `not_sent` means that the message was certainly not sent: too many were pending, no turn came in time, the server
 *   could not be reached or trusted (name lookup, connection, greeting, TLS, authentication), the server refused the
 *   sender, or the time ran out before the server accepted `DATA`.
 * - `mail_refused` means that the server refused the recipient or the message with a reply code: `permanent` with 5yz.
 * - `unavailable` means that this is unknown, and the message may still arrive: after the server accepted `DATA`, the time
 *   ran out, the connection was lost, or the server replied 421 (closing) or with something unintelligible.
 * - Nothing is retried.
 * - At most 100 messages are pending. An account may have only as many pending as there are free places, so it takes at
 *   most half of them and leaves room for others. Accounts take turns on the connections.
 * - Every failure has a cause for the operator's log: `550 to RCPT TO`, `connect: ECONNREFUSED`, `timeout after DATA`. It
 *   contains the server's reply code, never its text.
 * - Nothing is logged, and no error contains an address, a link or the password.
 * - The message is multipart (text and HTML), loads nothing from the network and is marked as automatic (RFC 3834).
 *
 * @throws TypeError if a setting is malformed. The message does not repeat the value.
 * @example
 * ```ts
 * const mail = smtpMail({
 *   url: "smtps://user:password@mail.example.com",
 *   from: "postern@example.com",
 *   publicUrl: "https://postern.example.com",
 * });
 * const service = postern({ store, aliasDomains, verificationMail: mail, ...nodePorts({ linkSecrets }) });
 * // When the service stops:
 * mail.close();
 * ```
 */
export const smtpMail = (settings: SmtpMailSettings): SmtpMail => smtpMailWithin(TIMEOUT_MS, settings);
