import { connect } from "node:net";

/** A response as received from the socket; header names in lower case. */
export type WireResponse = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const parseHead = (head: string): Omit<WireResponse, "body"> => {
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    statusCode: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers),
  };
};

/** The complete responses in these bytes, in order. `heads` are the positions of responses to HEAD, which have no body. */
const responsesIn = (received: Buffer, heads: readonly number[] = []): readonly WireResponse[] => {
  const responses: WireResponse[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return responses;
    const head = parseHead(rest.subarray(0, end).toString("latin1"));
    const length = heads.includes(responses.length) ? 0 : Number(head.headers["content-length"] ?? 0);
    if (rest.length < end + 4 + length) return responses;
    responses.push({ ...head, body: rest.subarray(end + 4, end + 4 + length).toString() });
    rest = rest.subarray(end + 4 + length);
  }
};

/**
 * Sends bytes as they are, at once or in pieces with pauses between them. Returns the responses received until there were
 * `count`, the server closed the connection, or `timeoutMs` had passed.
 */
export const exchange = async (
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  {
    count = 1,
    heads = [],
    timeoutMs = 20_000,
    pause = 20,
  }: { count?: number; heads?: readonly number[]; timeoutMs?: number; pause?: number } = {},
): Promise<{ readonly responses: readonly WireResponse[]; readonly closed: boolean }> => {
  const pieces = (typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes).map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : piece,
  );
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let closed = false;
  const done = new Promise<void>((resolve) => {
    const late = setTimeout(resolve, timeoutMs);
    const finish = () => {
      clearTimeout(late);
      resolve();
    };
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (responsesIn(received, heads).length >= count) finish();
    });
    socket.on("close", () => {
      closed = true;
      finish();
    });
    // The server may reset the connection; what it sent before that counts.
    socket.on("error", finish);
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (piece !== pieces.at(-1)) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await done;
  socket.destroy();
  return { responses: responsesIn(received, heads), closed };
};
