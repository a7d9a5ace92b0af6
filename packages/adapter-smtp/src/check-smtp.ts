import { on } from "node:events";
import { BlockList, isIPv6, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import {
  type Cause,
  type EmailAddress,
  err,
  type NonEmpty,
  ok,
  parseEmailAddress,
  type Result,
} from "@postern/core";
import { configured } from "@postern/core/operations";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { causeOf } from "./cause.ts";
import { checkOptions } from "./pool-options.ts";
import type { SmtpMailSettings } from "./smtp-mail.ts";

/** How messages would travel to the mail server. */
export type SmtpSecurity = {
  /** Whether the connection is encrypted; if so, whether the URL requires that, and what is known of the certificate. */
  readonly tls: {
    readonly required: boolean;
    /** Whether the certificate was verified: not if the URL says `tls.rejectUnauthorized=false`. */
    readonly verified: boolean;
    /** Until when it is valid, in epoch milliseconds. */
    readonly validUntil: number;
  } | null;
  /** Whether the server is at an address of a private network, or on this machine. */
  readonly isPrivate: boolean;
};

/** A sender that the server has refused, and why. Null is the null sender. */
export type RefusedSender = { readonly from: string | null; readonly cause: Cause };

export type SmtpCheck = {
  /** Null if there was no connection. */
  readonly security: SmtpSecurity | null;
  /** What the server calls itself in reply to EHLO (RFC 5321, section 4.1.1.1); null if it does not say. */
  readonly serverName: string | null;
  /** How the server responds to the user and the senders, or why it cannot be asked, such as a wrong password. */
  readonly sending: Result<
    {
      /** False if the URL has no user. */
      readonly loggedIn: boolean;
      readonly refused: readonly RefusedSender[];
      /** Why the server does not accept the recipient; null if it does, or was not asked. */
      readonly recipientRefused: Cause | null;
      /** How many of the last senders were not tried, because the server ended the session or time was up. */
      readonly untried: number;
    },
    Cause
  >;
};

/** @throws TypeError */
const addressOf = (text: string): EmailAddress => configured("address", parseEmailAddress(text));

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");

const isPrivate = ({ remoteAddress = "" }: Socket): boolean =>
  PRIVATE.check(remoteAddress, isIPv6(remoteAddress) ? "ipv6" : "ipv4");

const securityOf = (socket: Socket, required: boolean): SmtpSecurity => {
  if (!(socket instanceof TLSSocket)) return { tls: null, isPrivate: isPrivate(socket) };
  const validUntil = Date.parse(socket.getPeerCertificate().valid_to);
  return { tls: { required, verified: socket.authorized, validUntil }, isPrivate: isPrivate(socket) };
};

/** The error for a reply that refuses, as nodemailer would throw it. */
const refusal = (responseCode: number, command: string): Error =>
  Object.assign(new Error("refused"), { responseCode, command });

/** Longer than any reply, in characters. */
const MAX_REPLY_LENGTH = 64 * 1024;

/** A function that sends a command and returns the code of the reply. nodemailer cannot name a sender without a recipient. */
const speaker = (socket: Socket, signal: AbortSignal) => {
  socket.removeAllListeners("data");
  const chunks = on(socket, "data", { signal });
  return async (command: string): Promise<number> => {
    socket.write(`${command}\r\n`);
    let reply = "";
    for (;;) {
      const { value } = await chunks.next();
      reply += String(value);
      if (reply.length > MAX_REPLY_LENGTH) throw Object.assign(new Error("too long"), { code: "EPROTOCOL" });
      // All lines of a reply but the last have a hyphen after the code.
      const [, code] = /^(\d{3})(?: .*)?\r?\n/m.exec(reply) ?? [];
      if (code !== undefined) return Number(code);
    }
  };
};

const isPositive = (code: number): boolean => code >= 200 && code < 300;

/**
 * Names each sender to the server, and the recipient after the first accepted sender other than the null sender, with a RSET after
 * each sender. Returns what was refused, and how many senders could not be tried anymore.
 */
const offerSenders = async (
  senders: readonly (string | null)[],
  recipient: string | undefined,
  say: (command: string) => Promise<number>,
) => {
  const refused: RefusedSender[] = [];
  let recipientRefused: Cause | null = null;
  let tried = 0;
  let asked: "not yet" | "now" | "before" = "not yet";
  try {
    for (const from of senders) {
      const code = await say(`MAIL FROM:<${from ?? ""}>`);
      tried += 1;
      if (!isPositive(code)) refused.push({ from, cause: causeOf(refusal(code, "MAIL FROM"), false) });
      else if (recipient !== undefined && from !== null && asked === "not yet") {
        asked = "now";
        const code = await say(`RCPT TO:<${recipient}>`);
        asked = "before";
        if (!isPositive(code)) recipientRefused = causeOf(refusal(code, "RCPT TO"), false);
      }
      if (!isPositive(await say("RSET"))) break;
    }
  } catch (error) {
    if (tried === 0) throw error;
    if (asked === "now") recipientRefused = causeOf(error, false);
  }
  return { refused, recipientRefused, untried: senders.length - tried };
};

/**
 * Finds out whether messages could be sent with this URL: connects, encrypts and logs in as `smtpMail` and `smtpRelay` do, and asks
 * whether the server accepts each of the senders (null is the null sender) and the recipient, if there is one. Sends no message.
 * `name` is sent with EHLO, as by `smtpRelay`; without it, the same name is sent as by `smtpMail`. Resolves within `timeoutMs`
 * milliseconds.
 *
 * @throws TypeError if `url`, a sender or the recipient is malformed. The message does not repeat the value.
 * @example
 * ```ts
 * const { sending } = await checkSmtp({ url, senders: ["postern@example.com"] }, 5_000);
 * if (sending.isErr()) console.error(sending.error.reason); // 535 to AUTH
 * ```
 */
export const checkSmtp = async (
  {
    url,
    name,
    senders: given,
    recipient: to,
  }: Pick<SmtpMailSettings, "url"> & {
    readonly name?: string | undefined;
    readonly senders: NonEmpty<string | null>;
    readonly recipient?: string | undefined;
  },
  timeoutMs: number,
): Promise<SmtpCheck> => {
  const senders = given.map((from) => (from === null ? null : addressOf(from)));
  const recipient = to === undefined ? undefined : addressOf(to);
  const { auth, authMethod = false, ...options } = checkOptions(url, name, timeoutMs);
  const connection = new SMTPConnection(options);
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // It can break when nothing is waiting for it anymore.
  broken.catch(() => {});
  connection.on("error", reject);
  connection.on("end", () => reject(Object.assign(new Error("closed"), { code: "ECONNECTION" })));
  signal.addEventListener("abort", () => reject(Object.assign(new Error("late"), { code: "ETIMEDOUT" })));
  let security: SmtpSecurity | null = null;
  let serverName: string | null = null;
  try {
    await Promise.race([new Promise<void>((done) => connection.connect(() => done())), broken]);
    const { _socket: socket } = connection;
    if (!socket) throw new Error("there is no socket");
    serverName = /^\d{3}[ -](\S+)/.exec(connection.lastServerResponse || "")?.[1] ?? null;
    security = securityOf(socket, options.secure === true || options.requireTLS === true);
    if (auth !== undefined) {
      const login = new Promise<void>((done, refuse) =>
        connection.login({ user: auth.user, credentials: auth, method: authMethod }, (error) =>
          error === null ? done() : refuse(error),
        ),
      );
      await Promise.race([login, broken]);
    }
    const say = speaker(socket, signal);
    // The server may close the connection at any time, and what it has replied by then is worth knowing.
    const offered = await offerSenders(senders, recipient, (command) => Promise.race([say(command), broken]));
    socket.write("QUIT\r\n");
    return { security, serverName, sending: ok({ loggedIn: auth !== undefined, ...offered }) };
  } catch (error) {
    return { security, serverName, sending: err(causeOf(error, false)) };
  } finally {
    connection.close();
  }
};
