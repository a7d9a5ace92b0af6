import type { EmailAddress, VerificationMail } from "@postern/core";
import { err, ok } from "neverthrow";
import { createTransport } from "nodemailer";
import { poolOptions } from "./pool-options.ts";
import { verificationPage, withToken } from "./verification-link.ts";
import { verificationMessage } from "./verification-message.ts";

export type SmtpMailSettings = {
  /**
   * The server, as `smtp://user:password@host:port` or `smtps://…`. `smtps` speaks TLS from the start; `smtp`
   * takes up STARTTLS where the server offers it, and refuses to go on without it given `?requireTLS=true`:
   * recommended wherever the way to the server is not a private one, since without it whoever sits on that
   * way can keep the connection in the clear. Certificates are verified unless `?tls.rejectUnauthorized=false`.
   */
  readonly url: string;
  /** Sends the messages and receives what bounces. */
  readonly from: EmailAddress;
  /** Where the API is reached from outside; links start with it. A path in it is kept. */
  readonly publicUrl: string;
};

export type SmtpMail = VerificationMail & {
  /** Ends the connections. Messages being sent are finished; those still waiting become `unavailable`. */
  close(): void;
};

/** More than these at once would pile up in memory before a slow server. */
const MOST_PENDING = 100;

/**
 * Mail whose every message is handed over within `deadline` milliseconds, waiting for a free connection
 * included, or is `unavailable`. Nothing is tried again by itself. After `unavailable` a message may still
 * arrive, when the server took it and did not say so in time. At most 100 messages are under way; any more are
 * `unavailable` at once.
 *
 * Throws a `TypeError` for a `url` or `publicUrl` that is none, without repeating it: it may hold a password.
 */
export const smtpMailWithin =
  (deadline: number) =>
  ({ url, from, publicUrl }: SmtpMailSettings): SmtpMail => {
    const page = verificationPage(publicUrl);
    const transport = createTransport(poolOptions(url, deadline));
    let pending = 0;
    return {
      send: async ({ to, token }) => {
        if (pending >= MOST_PENDING) return err({ code: "unavailable" });
        pending += 1;
        try {
          const message = verificationMessage({ from, to, link: withToken(page, token) });
          await transport.sendMail({ ...message, signal: AbortSignal.timeout(deadline) });
          return ok(undefined);
        } catch {
          // What the server said may repeat the address, so it goes no further.
          return err({ code: "unavailable" });
        } finally {
          pending -= 1;
        }
      },
      close: () => transport.close(),
    };
  };
