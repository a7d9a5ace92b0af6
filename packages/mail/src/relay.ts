import type { Cause, EmailAddress, PortResult } from "@postern/core";
import type { MailBody } from "./message/mail-body.ts";

/** The envelope of one SMTP transaction. */
export type Envelope = {
  /** Null for the null sender. */
  readonly from: EmailAddress | null;
  readonly to: EmailAddress;
};

/** The server through which mail is sent. */
export type MailRelay = {
  /**
   * Sends a message to one mailbox, within a deadline. Never rejects. Reads the body only as fast as the server takes it: if reading throws,
   * which it also does once the message is no longer wanted, nothing of the message arrives.
   */
  send(mail: {
    readonly envelope: Envelope;
    readonly header: string;
    readonly body: MailBody;
  }): Promise<RelayAnswer>;

  /**
   * Whether the relay lets us in, within a deadline: connects and logs in as `send` does, and sends nothing. Never rejects. Without it, a
   * relay that could not be used is tried with copies again.
   */
  probe?(): PortResult<void>;

  /** Whether it gives each message another `Message-ID`, so that answers name one that we do not know. False by default. */
  readonly replacesMessageId?: boolean;
};

/**
 * What happened to a message that was handed to the relay.
 *
 * - `accepted`: the relay is responsible for it now.
 * - `deferred`: it was not accepted, or the outcome is unknown; try again later.
 * - `refused`: it will never be accepted (5xx to RCPT or DATA, or after the message; or to the null sender).
 *
 * `about` is what the problem concerns:
 *
 * - `copy`: this copy.
 * - `sender`: the relay does not accept its sender, so no copy of the same alias domain would fare better.
 * - `connection`: the relay serves some of our connections, but does not want this many.
 * - `relay`: it cannot be used at all (it is down, refuses our password, or refuses us), so no other copy would fare better.
 *
 * `code` is the reply code; null if there was no reply. `status` is the enhanced status code (RFC 3463) of the reply, such as `5.1.1`, or
 * the one that its words mean (`statusInWords`); null if there is neither. `cause` is for the operator's log, such as `535 to AUTH`: never
 * what the relay wrote, which can repeat addresses.
 */
export type RelayAnswer =
  | { readonly kind: "accepted" }
  | {
      readonly kind: "deferred";
      readonly about: "copy" | "sender" | "connection" | "relay";
      readonly code: number | null;
      readonly status: string | null;
      readonly cause?: Cause;
    }
  | {
      readonly kind: "refused";
      readonly about: "copy" | "sender";
      readonly code: number;
      readonly status: string | null;
      readonly cause?: Cause;
    };
