import type { MessageId } from "@postern/core";

/** The longest header that is accepted, in octets. */
export const MAX_HEADER_OCTETS = 256 * 1024;

/**
 * The maximum number of header lines that are accepted. Real headers have a few hundred; libraries that programs use to check and sign
 * messages take time quadratic in the number of lines.
 */
export const MAX_HEADER_LINES = 2_000;

/** Whether a header, whose lines end with CRLF, is too long to be accepted. */
export const isHeaderTooLarge = (header: string): boolean =>
  header.length > MAX_HEADER_OCTETS ||
  header.split("\r\n", MAX_HEADER_LINES + 2).length > MAX_HEADER_LINES + 1;

/**
 * The results of checking who sent a message. `temperror` and `permerror` (RFC 7208, section 2.6; RFC 9989) say that the
 * check itself failed.
 */
export type Verdict = "none" | "pass" | "fail" | "softfail" | "neutral" | "temperror" | "permerror";

/** What the receiving server found out about the sender of a message. */
export type Authentication = {
  /**
   * The domain of the authors in `From`, in lower case, for which DMARC was checked (RFC 9989, section 5.3.1); null if `From` has none or
   * more than one, or if the check failed.
   */
  readonly authorDomain: string | null;
  readonly spf: Verdict;
  readonly dmarc: {
    readonly verdict: Verdict;
    /** What the domain in `From` asks for when the check fails. */
    readonly policy: "none" | "quarantine" | "reject";
  };
  /** The state of the ARC chain on arrival (RFC 8617, section 4.4). */
  readonly arc: "none" | "pass" | "fail";
  /** The results in the form of an `Authentication-Results` field (RFC 8601), without the authserv-id. */
  readonly results: string;
};

/**
 * The checks that passed for the domain in `From`, even if it has no policy, or for one that is certainly of the same organization: in
 * alignment (RFC 9989, section 4.4), and below the same public suffix. None if it was not checked.
 */
export type Alignment = {
  /** Whether SPF passed. */
  readonly spf: boolean;
  /** The DKIM signatures that passed. */
  readonly signatures: readonly Signature[];
  /** Whether that is everything. Otherwise a name server did not answer, and more might have passed. */
  readonly complete: boolean;
};

/** What a DKIM signature covers. Everything else may have been changed or added by anybody who handled the message. */
export type Signature = {
  /** Whether the body is covered to its end (RFC 6376, section 8.2). */
  readonly wholeBody: boolean;
  /** The names of the fields that are covered, in lower case. If several fields have the same name, the last one is covered. */
  readonly fields: readonly string[];
};

/** How a message arrived, for its `Received` field (RFC 5321, section 4.4). */
export type Session = {
  /** The IP address of the client. */
  readonly clientAddress: string;
  /** The argument of EHLO or HELO, as sent. */
  readonly clientName: string;
  readonly protocol: "SMTP" | "ESMTP" | "ESMTPS";
};

/** A message that arrived, in the spool. */
export type ReceivedMessage = {
  readonly origin: "received";
  readonly id: MessageId;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  /** The envelope sender as the client sent it; empty for the null sender. */
  readonly returnPath: string;
  /**
   * The header as it arrived: each character is one octet (latin1), lines end with CRLF, the blank line after it is not part
   * of it. At most `MAX_HEADER_OCTETS` and `MAX_HEADER_LINES`.
   */
  readonly header: string;
  /** The size of header and body, in octets. */
  readonly size: number;
  /** Null if it did not come by SMTP. */
  readonly session: Session | null;
  readonly authentication: Authentication;
};

/** A message in the spool of which Postern itself wrote at least the header. It is sent as is. */
export type OwnMessage = {
  readonly origin: "own";
  readonly id: MessageId;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  /** The complete header, in the form of `ReceivedMessage.header`. */
  readonly header: string;
  /** The size of header and body, in octets. */
  readonly size: number;
};

export type Message = ReceivedMessage | OwnMessage;

/** The size of a message with this header and a body of this size, in octets. */
export const messageSize = (header: string, bodySize: number): number =>
  header.length + "\r\n".length + bodySize;
