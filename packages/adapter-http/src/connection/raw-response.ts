import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Failure } from "../problems/failure.ts";
import { problem } from "../problems/problem.ts";
import { HEADERS } from "../responses/default-headers.ts";

type Headers = Readonly<Record<string, string>>;

/** Answers a connection on which Node has no response to write to, and closes it. */
export const answerRaw = (socket: Duplex, status: number, headers: Headers, body: string): void => {
  const all = { ...HEADERS, ...headers, "content-length": Buffer.byteLength(body), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
};

export const answerRawProblem = (socket: Duplex, failure: Failure, headers: Headers = {}): void => {
  const document = problem(failure, "");
  const type = { "content-type": "application/problem+json; charset=utf-8" };
  answerRaw(socket, document.status, { ...type, ...headers }, JSON.stringify(document));
};
