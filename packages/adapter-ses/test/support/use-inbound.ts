import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { smtpIn } from "@postern/adapter-smtp-in";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { type EmailAddress, ok, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { HeaderFields, type MailBody, type MailPlane, type MailPlanePorts, mailPlane } from "@postern/mail";
import { cachingResolver } from "@postern/mail-in";
import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import { newDirectory } from "@postern/test-support/new-directory";
import { startQueues } from "@postern/test-support/queues";
import { received } from "@postern/test-support/ses-events";
import { onTestFinished } from "vitest";
import { greeted } from "../../../adapter-smtp-in/test/support/client.ts";
import { type SesArrivalRead, type SesInboundPorts, sesInbound } from "../../src/inbound/index.ts";

export const ACCOUNT = "tenant-1";
export const ALIAS = "shop@alias.example";
export const OPERATOR = "operator@home.example";

const NAME = "mx.alias.example";

type Sent = {
  readonly from: EmailAddress | null;
  readonly to: EmailAddress;
  readonly header: string;
  readonly body: string;
};

const textOf = async (body: MailBody): Promise<string> => {
  let text = "";
  for await (const chunk of body.read()) text += Buffer.from(chunk).toString("latin1");
  return text;
};

/** A mail plane on a SQLite spool, with an alias of me@home.example and you@home.example. Its relay keeps what is sent. */
export const openWorld = async (
  zone: FakeZone = {},
  changed: Partial<MailPlanePorts> = {},
  limit = 100_000_000,
) => {
  const ports = testPorts();
  const store = memoryStore();
  const aliasDomains = ["alias.example"];
  const service = postern({ store, aliasDomains, ...ports });
  const recipientIds: string[] = [];
  for (const email of ["me@home.example", "you@home.example"]) {
    recipientIds.push(valueOf(await service.adoptRecipient({ account: ACCOUNT, email })).id);
  }
  const alias = valueOf(await service.createAlias({ account: ACCOUNT, email: ALIAS, recipientIds }));
  const spool = valueOf(await sqliteSpool({ path: join(newDirectory(), "spool.db"), limit }));
  onTestFinished(() => spool.close());
  const dns = await startFakeDns(zone);
  onTestFinished(() => dns.close());
  const address = `127.0.0.1:${dns.port}`;
  const resolver = cachingResolver(address);
  onTestFinished(() => resolver.close());
  const sent: Sent[] = [];
  let ended = 0;
  const plane = mailPlane({
    store,
    spool,
    signer: {
      sign: async ({ header, body }) => ok({ header, body }),
    },
    relay: {
      send: async ({ envelope, header, body }) => {
        sent.push({ ...envelope, header, body: await textOf(body) });
        return { kind: "accepted" };
      },
    },
    secrets: ports.secrets,
    clock: ports.clock,
    aliasDomains,
    serverName: NAME,
    postmaster: OPERATOR,
    verificationSender: "hello@alias.example",
    onCopyEnded: () => {
      ended += 1;
    },
    ...changed,
  });

  return {
    service,
    store,
    spool,
    plane,
    dns: address,
    name: NAME,
    lookup: resolver.lookup,
    aliasId: alias.id,
    tallies: async () => {
      const { tallies } = valueOf(await service.getAlias({ account: ACCOUNT, aliasId: alias.id }));
      return Object.fromEntries(
        Object.entries(tallies).flatMap(([name, { count }]) => (count > 0 ? [[name, count]] : [])),
      );
    },
    /** Sends what is due, and returns it. */
    forwarded: async (): Promise<readonly Sent[]> => {
      for (;;) {
        const before = ended;
        valueOf(await plane.forwardCopies());
        await plane.finishForwarding();
        if (ended === before) break;
      }
      valueOf(await plane.countOutcomes());
      return sent.splice(0);
    },
  };
};

export type World = Awaited<ReturnType<typeof openWorld>>;

type About = Partial<Parameters<typeof received>[0]>;

/** SES with its bucket and queue, and what takes mail in from there. */
export const useSes = async (
  world: World,
  changed: Partial<MailPlane> = {},
  settings: Partial<SesInboundPorts> = {},
) => {
  const aws = await startQueues();
  onTestFinished(() => aws.stop());
  const events: SesArrivalRead[] = [];
  const takeIn = sesInbound({
    ...world,
    plane: { ...world.plane, ...changed },
    spool: world.plane.spool,
    bucket: aws.bucket,
    onEvent: (event) => events.push(event),
    ...settings,
  });
  let count = 0;
  /** SES receives a message and stores it. Returns the notification. */
  const receive = async (message: string, about: About = {}): Promise<string> => {
    count += 1;
    const notification = received({
      source: "bob@sender.example",
      recipients: [ALIAS],
      key: `message-${count}`,
      ...about,
    });
    const { objectKey, bucketName } = notification.receipt.action;
    await aws.put(objectKey, Uint8Array.from(Buffer.from(message, "latin1")), bucketName);
    return JSON.stringify(notification);
  };
  const take = async (...bodies: readonly string[]) => {
    const taken = await takeIn(bodies.map((body, n) => ({ messageId: `${n}`, body })));
    return taken.map(({ result, refused }) => ({
      refused,
      ...result.match(
        (value) => value,
        (error) => error,
      ),
    }));
  };
  return { aws, events, receive, take };
};

/** A server for SMTP of the same world. Returns the reply to a message. */
export const useSmtp = async ({ plane, dns, name }: World) => {
  const server = valueOf(
    await smtpIn({
      plane,
      spool: plane.spool,
      name,
      host: "127.0.0.1",
      port: 0,
      tls: null,
      maxMessageSize: 41_943_040,
      dns,
      messagesPerMinute: 0,
    }),
  );
  onTestFinished(() => server.close(0));
  return async (message: string, source: string, recipients: readonly string[]): Promise<string> => {
    const client = await greeted(server.port);
    await client.command(`MAIL FROM:<${source}>`);
    for (const recipient of recipients) await client.command(`RCPT TO:<${recipient}>`);
    // The server removes a dot after a bare LF too. The client adds the last line end.
    const reply = await client.data(message.replace(/(?<=^|\n)\./g, "..").replace(/\r\n$/, ""));
    client.socket.destroy();
    return reply;
  };
};

/** The fields of a header without those that differ with each message, and between the ways in. */
export const fieldsOf = (header: string): readonly string[] =>
  HeaderFields.split(header)
    .filter(({ name }) => !["received", "authentication-results", "x-postern-message"].includes(name))
    .map(({ raw }) => raw);
