import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  failureResponse,
  httpServer,
  parseFailureResponder,
  whenOver,
} from "@postern/adapter-http/http-server";
import { urlHost } from "../../system/url-host.ts";
import type { WebFile, WebFiles } from "./web-files.ts";

/** The path of what was requested, which a proxy can precede with the scheme and the host. Not decoded: no file needs that. */
const pathOf = (url: string): string =>
  url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";

/** Files whose absence must not lead to a page: a browser would run it as a script, or keep it as an image. */
const isFile = (path: string): boolean => path.startsWith("/assets/") || /\.\w+$/.test(path);

const fileAt = ({ page, byPath }: WebFiles, path: string): WebFile | null =>
  byPath.get(path) ?? (isFile(path) ? null : page);

/** Whether the client takes Brotli (RFC 9110, section 12.5.3). */
const takesBrotli = ({ "accept-encoding": accepted = "" }: IncomingMessage["headers"]): boolean => {
  const found = /(?:^|,)\s*br\s*(?:;\s*q=([\d.]+)\s*)?(?:,|$)/i.exec(String(accepted));
  return found !== null && Number(found[1] ?? 1) > 0;
};

/** Whether the client has this version (RFC 9110, section 13.1.2). */
const hasVersion = (etag: string, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((known) => known.trim().replace(/^W\//, "") === etag));

const respond = (
  files: WebFiles,
  { method = "", url = "", headers }: IncomingMessage,
  response: ServerResponse,
): void => {
  const refuse = (status: number, text: string, more: Readonly<Record<string, string>> = {}) =>
    response
      .writeHead(status, {
        "cache-control": "no-cache",
        "content-type": "text/plain; charset=utf-8",
        "content-length": Buffer.byteLength(text),
        ...more,
      })
      .end(text);

  // The body is not read.
  if (method !== "GET" && method !== "HEAD")
    return void refuse(405, "Only GET and HEAD.\n", { allow: "GET, HEAD", connection: "close" });
  const file = fileAt(files, pathOf(url));
  if (file === null) return void refuse(404, "There is no such file.\n");

  const brotli = takesBrotli(headers) ? file.brotli : null;
  const { body, etag } = brotli ?? file.plain;
  const about = { "cache-control": file.cacheControl, etag, vary: "accept-encoding" };
  if (hasVersion(etag, headers["if-none-match"])) return void response.writeHead(304, about).end();
  response
    .writeHead(200, {
      ...about,
      "content-type": file.type,
      "content-length": body.length,
      ...(brotli !== null && { "content-encoding": "br" }),
    })
    .end(body);
};

/**
 * Serves the browser app: its files, and its page at every path that cannot be a file. Rejects with the system error if it cannot listen
 * on the address.
 *
 * @param headers of every response
 */
export const serveWebApp = async (
  files: WebFiles,
  headers: Readonly<Record<string, string>>,
  { host, port }: { readonly host: string; readonly port: number },
) => {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    whenOver(request, response, () => {});
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    respond(files, request, response);
  };
  const server = httpServer(handle);
  // Node would respond itself, without the headers.
  server.on("checkExpectation", handle);
  server.on(
    "clientError",
    parseFailureResponder((failure, request) => {
      const response = failureResponse(failure, request);
      return { ...response, headers: { ...response.headers, ...headers } };
    }),
  );
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  return {
    /** With the actual port. */
    url: `http://${urlHost(host)}:${actual}`,
    server,
    /** Resolves when the responses under way are complete. */
    stop: async (): Promise<void> => {
      server.close();
      await once(server, "close");
    },
  };
};
