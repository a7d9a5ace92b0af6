import { Readable } from "node:stream";
import type { MailBody, MailRelay } from "@postern/mail";
import { causeOf } from "../cause.ts";
import { connectionsTo, type RelayTimeouts, relayOptions } from "../pool-options.ts";
import { smtpTransport, type WrittenMessage } from "../transport.ts";
import { answerTo, isLostWithoutCause, isTurnedAway } from "./relay-answer.ts";

export type SmtpRelaySettings = {
  /**
   * The mail server, as in `SmtpMailSettings`: `smtp://user:password@host:port` or `smtps://…`. Require TLS
   * (`?requireTLS=true`) unless the network to the server is private. `?maxConnections=5` lowers `connections`.
   */
  readonly url: string;
  /** The name of this server, for EHLO: a host name that resolves to its address. */
  readonly name: string;
  /** The maximum number of open connections. Further messages wait for one of them. */
  readonly connections: number;
  /**
   * Whether servers that support it (RFC 3461) are asked to report that a message was delivered, in addition to failures,
   * which they report anyway. Not asked about messages with the null sender. False by default.
   */
  readonly deliveryNotices?: boolean;
};

export type SmtpRelay = MailRelay & {
  /** The maximum number of open connections: this many messages can be sent at the same time without waiting for each other. */
  readonly connections: number;
  /** Closes the connections. Messages being sent are finished; waiting ones are deferred. Idempotent. */
  close(): void;
};

const MINUTE = 60_000;

/**
 * A copy that gets no answer occupies a connection the whole time, so no timeout is longer than it must be. Until DATA is
 * accepted, giving up costs nothing but another attempt: RFC 5321, section 4.5.3.2, and Postfix (`smtp_rcpt_timeout`) wait 5
 * minutes for one reply, and a relay that needs longer for all of them is in trouble. The reply to the message itself gets the
 * 10 minutes that both ask for (`smtp_data_done_timeout`), since a client that gives up earlier sends the message twice; that
 * leaves 5 minutes to transfer it. `connect` is the same as in Postfix (`smtp_connect_timeout`) and, for the greeting, in
 * nodemailer.
 */
const TIMEOUTS: RelayTimeouts = {
  connect: MINUTE / 2,
  begin: 5 * MINUTE,
  silence: 10 * MINUTE,
  message: 20 * MINUTE,
  idle: MINUTE / 2,
};

/** For how long after accepting a message the relay is assumed to serve us, in milliseconds. */
const RECENTLY = 10_000;

/** The endpoints of Amazon SES: those of a region, for FIPS, and in a VPC. */
const SES = /(?:^|\.)email-smtp(?:-fips)?\.[a-z0-9-]+\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/i;

/** The header comes with the first part of the body, so that a small message is one write to the connection. */
async function* contentOf(header: string, body: MailBody): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.from(`${header}\r\n`, "latin1");
  for await (const chunk of body.read()) {
    yield head === null ? chunk : Buffer.concat([head, chunk]);
    head = null;
  }
  if (head !== null) yield head;
}

/** `smtpRelay` with other timeouts. */
export const smtpRelayWithin = (
  timeouts: RelayTimeouts,
  { url, name, connections, deliveryNotices = false }: SmtpRelaySettings,
): SmtpRelay => {
  const allowed = connectionsTo(url, connections);
  /** The messages that are being sent. */
  const sending = new Set<AbortSignal>();
  let changed = Promise.withResolvers<void>();
  /** Signals that more is known about a message that is being sent. */
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  /** When the relay last let a message in. */
  let sessionAt = Number.NEGATIVE_INFINITY;
  const transport = smtpTransport(relayOptions(url, name, allowed, timeouts), () => {
    sessionAt = performance.now();
    change();
  });
  // A login that takes longer would be of no use to a message.
  const options = relayOptions(url, name, 1, { ...timeouts, silence: timeouts.begin });
  // Otherwise nodemailer would fail without a user, unlike when it sends, if the server offers a login.
  const probed = smtpTransport({ ...options, forceAuth: options.auth !== undefined });
  let acceptedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  /**
   * Whether the relay has let in any other message that is being sent, or has just accepted one. If that is not known yet, because
   * connections are still being opened, this waits until it is.
   */
  const servesOthers = async (): Promise<boolean> => {
    for (;;) {
      if (performance.now() < acceptedAt + RECENTLY) return true;
      const all = [...sending].map(transport.reached);
      if (all.some((reached) => reached !== "nothing")) return true;
      if (all.length === 0) return false;
      await changed.promise;
    }
  };

  /** Whether the relay has let in any other message that is being sent, or any message since that time. */
  const hasServedSince = (time: number): boolean =>
    Math.max(sessionAt, acceptedAt) >= time ||
    [...sending].some((signal) => transport.reached(signal) !== "nothing");

  /**
   * Sends the message within its deadlines. Retries at once if it fails only because a connection had reached the end of its life;
   * there are no more such connections than `allowed`.
   */
  const sendInTime = async (message: () => WrittenMessage) => {
    let giveUp = new AbortController();
    const beginning = setTimeout(() => {
      if (transport.reached(giveUp.signal) !== "data") giveUp.abort();
    }, timeouts.begin);
    const whole = setTimeout(() => giveUp.abort(), timeouts.message);
    // The connection keeps the process alive, not the timers.
    for (const timer of [beginning, whole]) timer.unref();
    const sendOnce = async () => {
      const begunAt = performance.now();
      sending.add(giveUp.signal);
      const result = await transport.send(message(), giveUp.signal);
      return result.mapErr((failure) => ({ ...failure, begunAt }));
    };
    let sent = await sendOnce();
    for (let others = allowed; others > 0 && !giveUp.signal.aborted; others -= 1) {
      if (sent.isOk() || !isLostWithoutCause(sent.error)) break;
      sending.delete(giveUp.signal);
      giveUp = new AbortController();
      sent = await sendOnce();
    }
    clearTimeout(beginning);
    clearTimeout(whole);
    sending.delete(giveUp.signal);
    if (sent.isOk()) acceptedAt = performance.now();
    change();
    return sent;
  };

  return {
    send: async ({ envelope, header, body }) => {
      const sent = await sendInTime(() => ({
        content: Readable.from(contentOf(header, body), { objectMode: false }),
        envelope: {
          from: envelope.from ?? false,
          to: [envelope.to],
          use8BitMime: true,
          size: header.length + 2 + body.size,
          ...(deliveryNotices && envelope.from !== null && { dsn: { notify: ["success", "failure"] } }),
        },
      }));
      if (sent.isOk()) return { kind: "accepted" };
      const others = () => (isTurnedAway(sent.error) ? servesOthers() : hasServedSince(sent.error.begunAt));
      return answerTo(sent.error, { from: envelope.from, servesOthers: !isClosed && (await others()) });
    },
    probe: async () =>
      (await probed.verify()).mapErr((error) => ({ code: "unavailable", cause: causeOf(error, false) })),
    replacesMessageId: SES.test(new URL(url).hostname),
    connections: allowed,
    close: () => {
      isClosed = true;
      transport.close();
      probed.close();
    },
  };
};

/**
 * Sends messages on through a mail server. Opens no connection before the first message, then keeps up to `connections` open
 * while there are messages to send.
 *
 * - One SMTP transaction for each message, with exactly the given envelope. The message is sent as it is, while it is read:
 *   it is never in memory as a whole. It is declared as `BODY=8BITMIME` to servers that support it.
 * - `send` never rejects, and ends within 20 minutes: 30 seconds for a connection, 5 minutes until the relay accepts DATA, and
 *   then 10 minutes without a sign of life. A message is retried, at once, only if the relay has nothing of it yet and its connection,
 *   which had sent others, was lost: it had been idle, or had sent as many messages as the relay allows.
 * - `refused`, about the copy: a 5yz reply to RCPT, DATA or the message; or it is larger than the server accepts. About the sender:
 *   a 5yz reply to the null sender.
 * - `deferred`, about the sender: a 5yz reply to any other sender.
 * - `deferred`, about the relay: there was no connection (name, network, TLS); or it refused the password or offers no login, even
 *   if it says so only in reply to MAIL (530, 534, 535, 538); or it refused every connection; or it let in neither this message nor any
 *   other within 5 minutes.
 * - `deferred`, about the connection: it turned this one away, with 4yz before MAIL, with 5yz as greeting, or by closing or resetting it,
 *   while it served others, or less than 10 seconds after it had accepted a message.
 * - `deferred`, about the copy: everything else, such as 4yz, a lost connection, or a reply that is not SMTP.
 * - `probe` connects, encrypts and logs in, on a connection of its own, as a message would; the address of the server is looked up anew.
 * - `replacesMessageId` is true for the endpoints of Amazon SES, by their host names.
 * - Nothing is logged. A `cause` has the reply code and the command, such as `450 to RCPT TO`: neither the server's text nor an
 *   address.
 *
 * @throws TypeError if `url` is malformed, or `maxConnections` in it is not a number from 1. The message does not repeat the value.
 * @example
 * ```ts
 * const relay = smtpRelay({ url: "smtp://127.0.0.1:25", name: "mx.alias.example", connections: 10 });
 * ```
 */
export const smtpRelay = (settings: SmtpRelaySettings): SmtpRelay => smtpRelayWithin(TIMEOUTS, settings);
