import { on } from "node:events";
import { BlockList, isIPv6, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Cause, err, ok, type Result } from "@postern/core";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { causeOf } from "./cause.ts";
import { checkOptions } from "./pool-options.ts";
import { parseSender, type SmtpMailSettings } from "./smtp-mail.ts";

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

export type SmtpCheck = {
  /** Null if there was no connection. */
  readonly security: SmtpSecurity | null;
  /** Whether the server accepted the user and the sender (`loggedIn` is false if the URL has no user), or why messages cannot be sent. */
  readonly sending: Result<{ readonly loggedIn: boolean }, Cause>;
};

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

/** The error of a reply that refuses, as nodemailer would throw it. */
const refusal = (responseCode: number, command: string): Error =>
  Object.assign(new Error("refused"), { responseCode, command });

/** Longer than any reply, in characters. */
const MAX_REPLY_LENGTH = 64 * 1024;

/** Names the sender to the server, and takes it back. nodemailer cannot do that without a recipient. */
const offerSender = async (socket: Socket, from: string, signal: AbortSignal): Promise<void> => {
  socket.removeAllListeners("data");
  const chunks = on(socket, "data", { signal });
  socket.write(`MAIL FROM:<${from}>\r\n`);
  let reply = "";
  for await (const [chunk] of chunks) {
    reply += String(chunk);
    if (reply.length > MAX_REPLY_LENGTH) throw Object.assign(new Error("too long"), { code: "EPROTOCOL" });
    // All lines of a reply but the last have a hyphen after the code.
    const [, code] = /^(\d{3})(?: .*)?\r?\n/m.exec(reply) ?? [];
    if (code === undefined) continue;
    if (!code.startsWith("2")) throw refusal(Number(code), "MAIL FROM");
    socket.write("RSET\r\nQUIT\r\n");
    return;
  }
};

/**
 * Finds out whether `smtpMail` could send messages with these settings: connects, encrypts and logs in as it would, and asks
 * whether the server accepts the sender. Sends no message and names no recipient. Resolves within `timeoutMs` milliseconds.
 *
 * @throws TypeError if `url` or `from` is malformed. The message does not repeat the value.
 * @example
 * ```ts
 * const { sending } = await checkSmtp({ url, from: "postern@example.com" }, 5_000);
 * if (sending.isErr()) console.error(sending.error.reason); // 535 to AUTH
 * ```
 */
export const checkSmtp = async (
  { url, from }: Pick<SmtpMailSettings, "url" | "from">,
  timeoutMs: number,
): Promise<SmtpCheck> => {
  const sender = parseSender(from);
  const { auth, authMethod = false, ...options } = checkOptions(url, timeoutMs);
  const connection = new SMTPConnection(options);
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // It can break when nothing waits for it any more.
  broken.catch(() => {});
  connection.on("error", reject);
  connection.on("end", () => reject(Object.assign(new Error("closed"), { code: "ECONNECTION" })));
  signal.addEventListener("abort", () => reject(Object.assign(new Error("late"), { code: "ETIMEDOUT" })));
  let security: SmtpSecurity | null = null;
  try {
    await Promise.race([new Promise<void>((done) => connection.connect(() => done())), broken]);
    const { _socket: socket } = connection;
    if (!socket) throw new Error("there is no socket");
    security = securityOf(socket, options.secure === true || options.requireTLS === true);
    if (auth !== undefined) {
      const login = new Promise<void>((done, refuse) =>
        connection.login({ user: auth.user, credentials: auth, method: authMethod }, (error) =>
          error === null ? done() : refuse(error),
        ),
      );
      await Promise.race([login, broken]);
    }
    await Promise.race([offerSender(socket, sender, signal), broken]);
    return { security, sending: ok({ loggedIn: auth !== undefined }) };
  } catch (error) {
    return { security, sending: err(causeOf(error, false)) };
  } finally {
    connection.close();
  }
};
