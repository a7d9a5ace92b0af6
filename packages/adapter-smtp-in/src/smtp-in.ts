import { once } from "node:events";
import { type Cause, err, type MessageId, ok, type Result } from "@postern/core";
import type { MailPlane, ReportResult, Spool } from "@postern/mail";
import { asSent, authenticate, cachingResolver, messageReceiver, type Transaction } from "@postern/mail-in";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { admission, type Sender } from "./admission.ts";
import { withBrackets } from "./bare-address.ts";
import { type ConnectionLimits, connectionsInUse } from "./connections.ts";
import { errorCode } from "./error-code.ts";
import { isLocal, networkOf } from "./network.ts";
import { REPLIES, type Refusal } from "./replies.ts";
import { parseTlsKeyPair, type TlsKeyPair } from "./tls-key-pair.ts";

export type SmtpInSettings = {
  /** The use cases that receive mail. */
  readonly plane: Pick<
    MailPlane,
    "beginTransaction" | "admitRecipient" | "admitAnswer" | "receiveMessage" | "recordReport"
  >;
  /** Takes in the bodies. It must be the spool of the plane. */
  readonly spool: Pick<Spool, "receive">;
  /** The name of this server, for its greeting and when it asks name servers: the host name in the MX records. */
  readonly name: string;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Without it, there is no STARTTLS. */
  readonly tls: TlsKeyPair | null;
  /** The largest message, in octets. */
  readonly maxMessageSize: number;
  /** A name server, such as `127.0.0.1:53`; null for the system's. */
  readonly dns: string | null;
  /**
   * How many messages a minute one network can send, and how many one mailbox can be sent. A network can also send a tenth as many
   * recipients that are refused, and a hundred times as many commands. 600 by default; 0 for no limit.
   */
  readonly messagesPerMinute?: number | undefined;
  /** For metrics and logs. */
  readonly onEvent?: (event: SmtpInEvent) => void;
};

/** Something to count or to log. Never contains an address, or any part of a message. */
export type SmtpInEvent =
  /** A reply to a step of a session that decides something. `message` is the id of the message if it was accepted. */
  | {
      readonly type: "reply";
      readonly step: "CONNECT" | "MAIL" | "RCPT" | "DATA";
      readonly code: number;
      readonly status: string;
      readonly message: MessageId | null;
      readonly cause: Cause | null;
    }
  /** A report was read; `result` is what became of it. */
  | { readonly type: "report"; readonly result: ReportResult }
  /** A client broke the connection in the middle of a message, or TLS failed. */
  | { readonly type: "broken"; readonly reason: string };

export type SmtpIn = {
  /** Where it listens. */
  readonly port: number;
  /** For connections from now on. Throws a TypeError if the pair is not valid; the previous one then stays. */
  setTls(tls: TlsKeyPair): void;
  /**
   * Accepts no more messages: messages that are being received are finished and replied to, for at most `graceMs` milliseconds; all other
   * connections are closed with 421 at once. Idempotent.
   */
  close(graceMs: number): Promise<void>;
};

/** The server cannot listen there; `cause` has the system's reason, such as EADDRINUSE. */
export type NotListening = { readonly code: "not_listening"; readonly cause: Cause };

export type SmtpInLimits = ConnectionLimits & {
  /** Per connection. */
  readonly refusedRecipients: number;
  readonly recipients: number;
  /** How long a client may be silent, in milliseconds. */
  readonly silenceMs: number;
  /** The same, once three quarters of all connections are in use. */
  readonly busySilenceMs: number;
  /** How long a client may take until its next message has arrived, in milliseconds. */
  readonly messageMs: number;
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const MESSAGES_PER_MINUTE = 600;

const LIMITS: SmtpInLimits = {
  connections: 200,
  connectionsPerAddress: 20,
  busyConnectionsPerAddress: 5,
  refusedRecipients: 10,
  // RFC 5321, section 4.5.3.1.8, asks for at least 100.
  recipients: 100,
  // RFC 5321, section 4.5.3.2.7.
  silenceMs: 5 * MINUTE,
  busySilenceMs: 20 * SECOND,
  messageMs: 30 * MINUTE,
};

/** Commands that smtp-server would answer although they are of no use here. */
const DISABLED = ["AUTH", "XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL"];

type Connection = typeof SMTPServer.prototype.connections extends Set<infer C> ? C : never;

/** The state of a connection. */
type Client = Sender & {
  readonly connection: Connection;
  /** The message that it is sending, or whose reply it is waiting for. */
  message: SMTPServerDataStream | null;
  /** Closes the connection when it takes too long. */
  deadline: NodeJS.Timeout;
};

/** Whether it can be told to try again. A message that has arrived may have been accepted already. */
const canGiveWay = ({ message }: Client): boolean => message?.writableEnded !== true;

const causeOf = (refusal: Refusal): Cause | null => ("cause" in refusal ? (refusal.cause ?? null) : null);

const codeOf = (error: unknown): string => {
  const code = errorCode(error);
  return code !== null && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : "failed";
};

const transactionOf = (
  { remoteAddress, hostNameAppearsAs, secure, openingCommand, envelope: { mailFrom } }: SMTPServerSession,
  { recipients, transaction }: Pick<Client, "recipients" | "transaction">,
): Omit<Transaction, "check"> => ({
  session: {
    clientAddress: remoteAddress,
    clientName: hostNameAppearsAs,
    protocol: secure ? "ESMTPS" : openingCommand === "EHLO" ? "ESMTP" : "SMTP",
  },
  returnPath: mailFrom === false ? "" : asSent(mailFrom.address),
  recipients,
  transaction,
});

const requireValid = (tls: TlsKeyPair): void => {
  const valid = parseTlsKeyPair(tls);
  if (valid.isErr()) throw new TypeError(`tls is not a certificate with its key: ${valid.error.code}`);
};

/** `smtpIn` with other limits. */
export const smtpInWithin = async (
  limits: SmtpInLimits,
  {
    plane,
    spool,
    name,
    host,
    port,
    tls,
    maxMessageSize,
    dns,
    messagesPerMinute = MESSAGES_PER_MINUTE,
    onEvent = () => {},
  }: SmtpInSettings,
): Promise<Result<SmtpIn, NotListening>> => {
  if (tls !== null) requireValid(tls);
  const resolver = cachingResolver(dns);
  const { countCommand, begin, admit, send, abandon } = admission({ plane, messagesPerMinute, ...limits });
  const inUse = connectionsInUse<Client>(limits);
  /** The networks of those that smtp-server has not greeted yet: it waits a moment, to find clients that do not. */
  const arriving = new Map<Connection["_socket"], string>();
  const clients = new Map<string, Client>();
  let closing: Promise<void> | null = null;

  /** The error that makes smtp-server send the reply. */
  const refuse = (step: "CONNECT" | "MAIL" | "RCPT" | "DATA", refusal: Refusal): Error => {
    const { code, status, text } = REPLIES[refusal.code];
    onEvent({ type: "reply", step, code, status, message: null, cause: causeOf(refusal) });
    return Object.assign(new Error(`${status} ${text}`), { responseCode: code });
  };

  /** Applies to all connections: how long clients may be silent depends on how many there are. */
  const limitSilence = (): void => {
    const silenceMs = inUse.isBusy() ? limits.busySilenceMs : limits.silenceMs;
    if (server.options.socketTimeout === silenceMs) return;
    server.options.socketTimeout = silenceMs;
    for (const { _socket: socket } of server.connections) socket.setTimeout(silenceMs);
  };

  /** Idempotent: a connection that was refused, or ended by this server, has left before it is closed. */
  const leave = ({ id }: Pick<Connection, "id">): void => {
    const client = clients.get(id);
    if (client === undefined) return;
    clearTimeout(client.deadline);
    clients.delete(id);
    abandon(client);
    inUse.leave(client);
    limitSilence();
  };

  /** Ends a session that smtp-server does not end by itself. Its place is free at once, even if the client does not hang up. */
  const hangUp = (connection: Connection, refusal: Refusal): void => {
    const { code, status, text } = REPLIES[refusal.code];
    leave(connection);
    connection.send(code, `${status} ${text}`);
  };

  const startDeadline = (connection: Connection): NodeJS.Timeout =>
    setTimeout(() => hangUp(connection, { code: "too_slow" }), limits.messageMs).unref();

  const clientOf = ({ id }: SMTPServerSession): Client => {
    const client = clients.get(id);
    if (client === undefined) throw new Error("there is no such connection");
    return client;
  };

  /** Counts the commands of a client, and reads them as Postfix does. */
  const intercept = (client: Client): void => {
    const { connection } = client;
    const handle = connection._onCommand.bind(connection);
    connection._onCommand = (command, next) => {
      if (countCommand(client)) handle(withBrackets(command), next);
      else hangUp(connection, { code: "network_over_limit" });
    };
  };

  const receive = messageReceiver({
    plane,
    spool,
    maxMessageSize,
    onReport: (result) => onEvent({ type: "report", result }),
  });

  const server: SMTPServer = new SMTPServer({
    name,
    banner: "Postern",
    ...(tls ?? {}),
    // RFC 8996.
    minVersion: "TLSv1.2",
    disabledCommands: tls === null ? [...DISABLED, "STARTTLS"] : DISABLED,
    logger: false,
    // Otherwise smtp-server puts a code of its own before those of REPLIES.
    hideENHANCEDSTATUSCODES: true,
    hideSMTPUTF8: true,
    authOptional: true,
    disableReverseLookup: true,
    // Real senders have addresses that RFC 5321 does not allow.
    lenientAddressParsing: true,
    size: maxMessageSize,
    // More than are admitted below: smtp-server also counts those not greeted yet, and refuses without a status.
    maxClients: 5 * limits.connections,
    socketTimeout: limits.silenceMs,

    onConnect: ({ id, remoteAddress }, done) => {
      const tooMany = (): void => done(refuse("CONNECT", { code: "too_many_connections" }));
      const network = networkOf(remoteAddress);
      const connection = server.connections.values().find((each) => each.id === id);
      if (connection === undefined) return tooMany();
      arriving.delete(connection._socket);
      if (!inUse.isAllowed(network)) return tooMany();
      if (inUse.isFull()) {
        const other = inUse.longestIdle(canGiveWay);
        if (other === undefined) return tooMany();
        hangUp(other.connection, { code: "too_many_connections" });
      }
      const client: Client = {
        connection,
        network,
        isLocal: isLocal(remoteAddress),
        refused: 0,
        transaction: undefined,
        recipients: [],
        mailboxes: new Map(),
        isCounted: false,
        message: null,
        deadline: startDeadline(connection),
      };
      clients.set(id, client);
      inUse.enter(client);
      limitSilence();
      intercept(client);
      done();
    },

    onClose: (session) => leave(session),

    onMailFrom: ({ address, args }, session, done) => {
      const refusal = begin(clientOf(session), address, args !== false && "SMTPUTF8" in args);
      done(refusal === null ? null : refuse("MAIL", refusal));
    },

    onRcptTo: ({ address }, session, done) => {
      const client = clientOf(session);
      admit(client, address).then(
        (refusal) => done(refusal === null ? null : refuse("RCPT", refusal)),
        () => done(refuse("RCPT", { code: "unavailable" })),
      );
    },

    onData: (stream, session, done) => {
      const client = clientOf(session);
      client.message = stream;
      send(client);
      const finish = (error: Error | null, text?: string): void => {
        // What has not been read must be, or smtp-server waits for it in vain.
        stream.resume();
        client.message = null;
        clearTimeout(client.deadline);
        // The client may have hung up.
        if (clients.has(session.id)) client.deadline = startDeadline(client.connection);
        if (error === null) inUse.renew(client);
        done(error, text);
        if (closing !== null) hangUp(client.connection, { code: "shutting_down" });
      };
      // Not destroyed if reading stops early: the client does not listen before it has sent everything.
      const received = receive(stream.iterator({ destroyOnReturn: false }), {
        ...transactionOf(session, client),
        check: (message) => authenticate(message, name, resolver.lookup),
      }).catch(() => err({ code: "unavailable" } as const));
      void received.then((result) => {
        // smtp-server destroys a stream that does not arrive as a whole. Nobody gets the reply.
        if (stream.destroyed && !stream.readableEnded) {
          onEvent({ type: "broken", reason: "closed in DATA" });
          return finish(null);
        }
        if (result.isErr()) return finish(refuse("DATA", result.error));
        const message = result.value;
        onEvent({ type: "reply", step: "DATA", code: 250, status: "2.0.0", message, cause: null });
        finish(null, message === null ? "2.0.0 OK" : `2.0.0 queued as ${message}`);
      });
    },
  });
  const connect = server.connect.bind(server);
  // Otherwise somebody who keeps connecting would use up `maxClients`.
  server.connect = (socket, options) => {
    const network = networkOf(socket.remoteAddress ?? "");
    const others = [...arriving.values()].filter((each) => each === network);
    if (others.length >= limits.connectionsPerAddress) return void socket.destroy();
    arriving.set(socket, network);
    socket.once("close", () => arriving.delete(socket));
    connect(socket, options);
  };
  // Clients that hang up, fail TLS and the like. Failing to listen is handled below.
  server.on("error", (error) => onEvent({ type: "broken", reason: codeOf(error) }));

  server.listen(port, host);
  try {
    await once(server.server, "listening");
  } catch (error) {
    resolver.close();
    return err({ code: "not_listening", cause: { source: "smtp-in", reason: codeOf(error) } });
  }
  const address = server.server.address();

  const stop = async (graceMs: number): Promise<void> => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // smtp-server treats 0 as half a minute.
    server.options.closeTimeout = Math.max(1, graceMs);
    server.close(resolve);
    for (const connection of server.connections) {
      if ((clients.get(connection.id)?.message ?? null) === null)
        hangUp(connection, { code: "shutting_down" });
    }
    await closed;
    resolver.close();
  };

  return ok({
    port: address !== null && typeof address === "object" ? address.port : port,
    setTls: (pair) => {
      // smtp-server would lose the previous pair first.
      requireValid(pair);
      server.updateSecureContext(pair);
    },
    close: (graceMs) => {
      closing ??= stop(graceMs);
      return closing;
    },
  });
};

/**
 * Receives mail for aliases over SMTP: the server that the MX records of the alias domains name.
 *
 * - 250 to a message means that it is stored durably with all its copies. A message whose client disappears leaves nothing behind.
 * - The header is at most 256 KiB and 2,000 lines; the body goes to the spool as it arrives, and is never in memory as a whole. Bare CR
 *   and LF become CRLF; only CRLF.CRLF ends a message.
 * - SPF, DKIM, DMARC and ARC are checked before the core decides. A message that cannot be admitted because a check itself failed is
 *   deferred (451), not rejected.
 * - At most 200 connections, 20 from one network (an address, or a /64 of IPv6). Once three quarters are in use, five from one network;
 *   once all are, a new one replaces the one that has gone longest without sending a message (421).
 * - At most 100 recipients a message; after 10 refused recipients, the next refused one ends the connection. A client may be silent for 5
 *   minutes, 20 seconds once three quarters of the connections are in use, and take 30 minutes for a message.
 * - A network that has sent too much in the last minute gets 421, and a mailbox that was sent too much 450 (`messagesPerMinute`), before
 *   anything is asked or stored. It counts in memory of bounded size.
 * - No login, no SMTPUTF8; STARTTLS only with a certificate.
 * - Nothing is logged. Events and causes have codes and ids, never addresses.
 *
 * @throws TypeError if `dns` is malformed, or `tls` is not a certificate with its key
 */
export const smtpIn = (settings: SmtpInSettings): Promise<Result<SmtpIn, NotListening>> =>
  smtpInWithin(LIMITS, settings);
