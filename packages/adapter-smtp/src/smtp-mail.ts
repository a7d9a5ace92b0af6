import { type EmailAddress, err, ok, parseEmailAddress, type VerificationMail } from "@postern/core";
import { createTransport } from "nodemailer";
import { poolOptions } from "./pool-options.ts";
import { verificationPage, withToken } from "./verification-link.ts";
import { verificationMessage } from "./verification-message.ts";

export type SmtpMailSettings = {
  /**
   * The mail server, as `smtp://user:password@host:port` or `smtps://…`, with user and password percent-encoded.
   *
   * `smtps` uses TLS from the start. `smtp` upgrades with STARTTLS if the server offers it; `?requireTLS=true` refuses to
   * send without it. Require it unless the network to the server is private: an attacker on the path can otherwise
   * suppress the upgrade and read the messages. Certificates are verified unless the URL says
   * `?tls.rejectUnauthorized=false`.
   */
  readonly url: string;
  /** The address that messages are sent from and bounces return to. */
  readonly from: string;
  /** The base URL of the verification page: links lead to `/recipients/verify` under it. */
  readonly publicUrl: string;
};

export type SmtpMail = VerificationMail & {
  /** Closes the connections. Messages being sent are finished; waiting ones are `unavailable`. Idempotent. */
  close(): void;
};

const TIMEOUT_MS = 10_000;

/** More messages than this would pile up in memory behind a slow server. */
const MAX_PENDING = 100;

const parseSender = (from: string): EmailAddress =>
  parseEmailAddress(from).match(
    (address) => address,
    () => {
      throw new TypeError("from must be an email address such as postern@example.com");
    },
  );

/** `smtpMail` with another timeout for each message. */
export const smtpMailWithin = (timeoutMs: number, { url, from, publicUrl }: SmtpMailSettings): SmtpMail => {
  const sender = parseSender(from);
  const page = verificationPage(publicUrl);
  const transport = createTransport(poolOptions(url, timeoutMs));
  let pending = 0;
  return {
    send: async ({ to, token }) => {
      if (pending >= MAX_PENDING) return err({ code: "unavailable" });
      pending += 1;
      try {
        const message = verificationMessage({ from: sender, to, link: withToken(page, token) });
        await transport.sendMail({ ...message, signal: AbortSignal.timeout(timeoutMs) });
        return ok();
      } catch {
        // The error is dropped because a server's response can repeat the address.
        return err({ code: "unavailable" });
      } finally {
        pending -= 1;
      }
    },
    close: () => transport.close(),
  };
};

/**
 * Sends verification messages over SMTP. Opens no connection before the first message, and then reuses up to five.
 *
 * - `send` succeeds once the server has accepted the message. It returns `unavailable` if that takes more than 10
 *   seconds, including the wait for a free connection, or if the server refuses the message. It never rejects.
 * - Nothing is retried. After `unavailable` the message may still arrive, if the server accepted it but its response
 *   was lost or late.
 * - At most 100 messages are pending; further ones are `unavailable` immediately.
 * - Nothing is logged, and no error contains an address, a link or the password.
 * - The message is multipart (text and HTML), loads nothing from the network and is marked as automatic (RFC 3834).
 *
 * @throws TypeError if `url`, `from` or `publicUrl` is malformed. The message does not repeat the value.
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
