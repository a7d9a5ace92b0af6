import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { DEFAULT_HEADERS } from "../responses/default-headers.ts";
import type { ApiResponse } from "../responses/response.ts";

/** Writes a response straight to the socket, where Node provides no `ServerResponse`, and closes the connection. */
export const writeRaw = (socket: Duplex, { status, headers, body }: ApiResponse): void => {
  const text = body ?? "";
  const all = {
    ...DEFAULT_HEADERS,
    ...headers,
    "content-length": Buffer.byteLength(text),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
};
