import { createSocket } from "node:dgram";
import { once } from "node:events";
import packet from "dns-packet";

const NXDOMAIN = 3;

export type NameServer = {
  readonly port: number;
  close(): void;
};

/** The record of a name. As in other zones, that of `*` is of all names without one; here only of domains, not of `_dmarc.` and the like. */
const recordOf = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  texts[name] ?? (name.includes("_") ? undefined : texts["*"]);

/** The reply to a query. Throws if it is not a query. */
const replyTo = (query: Buffer, texts: Readonly<Record<string, string>>): Buffer => {
  const { id = 0, questions = [] } = packet.decode(query);
  const [question] = questions;
  const data = recordOf(texts, question?.name.toLowerCase() ?? "");
  return packet.encode({
    type: "response",
    id,
    flags: packet.AUTHORITATIVE_ANSWER | (data === undefined ? NXDOMAIN : 0),
    questions,
    answers:
      data !== undefined && question?.type === "TXT"
        ? [{ type: "TXT", name: question.name, ttl: 60, data }]
        : [],
  });
};

/** A name server on loopback that knows only these TXT records, by name. */
export const startNameServer = async (texts: Readonly<Record<string, string>>): Promise<NameServer> => {
  const socket = createSocket("udp4", (query, { port, address }) => {
    try {
      socket.send(replyTo(query, texts), port, address);
    } catch {
      // It was not a query: there is nothing to answer.
    }
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, close: () => void socket.close() };
};
