import { connect } from "node:net";

/** One answer as it came over the socket; header names in lower case. */
export type WireAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const parseHead = (head: string): Omit<WireAnswer, "body"> => {
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

/** The answers that are whole in these bytes, in order. `heads` says which of them answer HEAD, and so have no body. */
const answersIn = (received: Buffer, heads: readonly number[] = []): readonly WireAnswer[] => {
  const answers: WireAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const head = parseHead(rest.subarray(0, end).toString("latin1"));
    const length = heads.includes(answers.length) ? 0 : Number(head.headers["content-length"] ?? 0);
    if (rest.length < end + 4 + length) return answers;
    answers.push({ ...head, body: rest.subarray(end + 4, end + 4 + length).toString() });
    rest = rest.subarray(end + 4 + length);
  }
};

/**
 * Sends bytes as they are, in one piece or in several with pauses between them, and gives the answers that came until
 * there were `count`, the server closed the connection, or `patience` milliseconds had passed.
 */
export const exchange = async (
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  {
    count = 1,
    heads = [],
    patience = 3000,
    pause = 20,
  }: { count?: number; heads?: readonly number[]; patience?: number; pause?: number } = {},
): Promise<{ readonly answers: readonly WireAnswer[]; readonly closed: boolean }> => {
  const pieces = (typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes).map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : piece,
  );
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let closed = false;
  const done = new Promise<void>((resolve) => {
    const late = setTimeout(resolve, patience);
    const finish = () => {
      clearTimeout(late);
      resolve();
    };
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (answersIn(received, heads).length >= count) finish();
    });
    socket.on("close", () => {
      closed = true;
      finish();
    });
    // A server that has had enough resets the connection; what it said before that counts.
    socket.on("error", finish);
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (piece !== pieces.at(-1)) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await done;
  socket.destroy();
  return { answers: answersIn(received, heads), closed };
};
