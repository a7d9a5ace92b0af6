import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:net";

/** The answers for a name: records by type, or what goes wrong. A name that is not listed does not exist (NXDOMAIN). */
export type FakeZone = Record<
  string,
  | "SERVFAIL"
  /** The query is never answered. */
  | "silence"
  | {
      readonly A?: readonly string[];
      readonly AAAA?: readonly string[];
      readonly MX?: readonly { readonly priority: number; readonly exchange: string }[];
      readonly TXT?: readonly string[];
      /** In seconds; 300 if not set. */
      readonly ttl?: number;
    }
>;

export type FakeDns = {
  readonly port: number;
  /** What it answers. Can be changed while it runs. */
  readonly zone: FakeZone;
  /** The questions so far, such as `TXT sender.example`. */
  readonly questions: readonly string[];
  /** A Node resolver that asks it. */
  readonly resolver: Resolver;
  close(): Promise<void>;
};

type Type = "A" | "AAAA" | "MX" | "TXT";

const TYPES: Readonly<Record<number, Type>> = { 1: "A", 15: "MX", 16: "TXT", 28: "AAAA" };
const NXDOMAIN = 3;
const SERVFAIL = 2;
/** How much clients accept over UDP unless they say otherwise (RFC 1035, section 4.2.1). */
const MAX_UDP = 512;

const label = (text: string): Buffer =>
  Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);

const encodedName = (name: string): Buffer =>
  Buffer.concat([...name.split(".").map(label), Buffer.from([0])]);

const encodedText = (text: string): Buffer => Buffer.concat((text.match(/.{1,255}/gs) ?? [""]).map(label));

const uint16 = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) buffer.writeUInt16BE(value, 2 * i);
  return buffer;
};

/** `address`: eight groups of hexadecimal digits, or `::` in place of those that are 0. */
const encodedIpv6 = (address: string): Buffer => {
  const [before = [], after = []] = address
    .split("::")
    .map((part) => part.split(":").flatMap((group) => (group === "" ? [] : [Number.parseInt(group, 16)])));
  return uint16(...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after);
};

/** The data of the records of a type. */
const recordsOf = (entry: FakeZone[string] | undefined, type: Type | undefined): Buffer[] => {
  if (typeof entry !== "object") return [];
  switch (type) {
    case "A":
      return (entry.A ?? []).map((address) => Buffer.from(address.split(".").map(Number)));
    case "AAAA":
      return (entry.AAAA ?? []).map(encodedIpv6);
    case "MX":
      return (entry.MX ?? []).map(({ priority, exchange }) =>
        Buffer.concat([uint16(priority), encodedName(exchange)]),
      );
    case "TXT":
      return (entry.TXT ?? []).map(encodedText);
    case undefined:
      return [];
  }
};

/** A name server on loopback, over UDP and TCP, that knows only what `zone` says. */
export const startFakeDns = async (zone: FakeZone = {}): Promise<FakeDns> => {
  const questions: string[] = [];

  /** The answer to a query (RFC 1035, section 4.1); null for silence. */
  const answer = (query: Buffer): Buffer | null => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    const code = query.readUInt16BE(at + 1);
    const type = TYPES[code];
    questions.push(`${type ?? code} ${name}`);
    const entry = zone[name];
    if (entry === "silence") return null;
    const status = entry === undefined ? NXDOMAIN : entry === "SERVFAIL" ? SERVFAIL : 0;
    const ttl = typeof entry === "object" ? (entry.ttl ?? 300) : 0;
    const records = recordsOf(entry, type).map((data) =>
      // A pointer to the name in the question, the type, class IN, the TTL and the data.
      Buffer.concat([uint16(0xc00c, code, 1, ttl >> 16, ttl & 0xffff, data.length), data]),
    );
    return Buffer.concat([
      query.subarray(0, 2),
      uint16(0x8180 | status, 1, records.length, 0, 0),
      query.subarray(12, at + 5),
      ...records,
    ]);
  };

  const udp = createSocket("udp4", (query, { port, address }) => {
    const reply = answer(query);
    if (reply === null) return;
    // Too long: the header and the question only, with the bit TC, so that the client asks again over TCP.
    if (reply.length <= MAX_UDP) udp.send(reply, port, address);
    else {
      const truncated = Buffer.concat([
        reply.subarray(0, 2),
        uint16(0x8380, 1, 0, 0, 0),
        query.subarray(12, query.indexOf(0, 12) + 5),
      ]);
      udp.send(truncated, port, address);
    }
  });
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      while (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const reply = answer(received.subarray(2, 2 + received.readUInt16BE(0)));
        received = received.subarray(2 + received.readUInt16BE(0));
        if (reply !== null) socket.write(Buffer.concat([uint16(reply.length), reply]));
      }
    });
  });

  // Resolvers are told one port for both.
  const bind = async (): Promise<number> => {
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const address = tcp.address();
    if (address === null || typeof address === "string") throw new Error("there is no TCP port");
    udp.bind(address.port, "127.0.0.1");
    await once(udp, "listening");
    return address.port;
  };
  const port = await bind();
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  return {
    port,
    zone,
    questions,
    resolver,
    close: async () => {
      resolver.cancel();
      const closed = once(tcp, "close");
      tcp.close();
      udp.close();
      await closed;
    },
  };
};
