import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { announce } from "../../support/announce.ts";
import { readCursor, writeCursor } from "../../support/cursor.ts";
import type { Setup } from "../../support/setup.ts";
import type { Page, Replaced } from "../shared/memory-store.ts";
import { tokenCheck } from "./token-check.ts";

/*
 * The least code on node:http that does what the API does for PUT /aliases/{id}/recipients and GET /aliases: no
 * framework, no library, no layers, and every check.
 */

const WINDOW_MS = 60_000;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_RECIPIENTS = 40;
const MAX_LIMIT = 100;

const isId = (id: unknown): id is string => typeof id === "string" && id.length > 0 && id.length <= 128;

/** The ids in a body; null if it is invalid. */
const recipientIds = (body: string): readonly string[] | null => {
  try {
    const ids: unknown = JSON.parse(body)?.recipient_ids;
    return Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_RECIPIENTS && ids.every(isId)
      ? ids
      : null;
  } catch {
    return null;
  }
};

const fail = (response: ServerResponse, status: number, content: object): void => {
  const body = JSON.stringify(content);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
};

const STATUS = { not_found: 404, deleted: 409, ineligible: 422 } as const;

const sendReplaced = (response: ServerResponse, replaced: Replaced) => {
  if ("failure" in replaced) return fail(response, STATUS[replaced.failure], replaced);
  const body = JSON.stringify(replaced.json);
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    etag: `"${replaced.version}"`,
  });
  response.end(body);
};

const sendPage = (response: ServerResponse, account: string, { aliases, next }: Page): void => {
  const body = JSON.stringify({ aliases, next_cursor: writeCursor(account, next) });
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
};

const rateLimit = (perMinute: number) => {
  const windows = new Map<string, { start: number; count: number }>();
  const policy = `"account";q=${perMinute};w=60`;
  /** Whether the request may go on. */
  return (account: string, response: ServerResponse): boolean => {
    if (perMinute === 0) return true;
    const now = performance.now();
    let window = windows.get(account);
    if (window === undefined || now - window.start >= WINDOW_MS) {
      window = { start: now, count: 0 };
      windows.set(account, window);
    }
    window.count += 1;
    const left = Math.ceil((window.start + WINDOW_MS - now) / 1000);
    response.setHeader("ratelimit-policy", policy);
    response.setHeader("ratelimit", `"account";r=${Math.max(perMinute - window.count, 0)};t=${left}`);
    if (window.count <= perMinute) return true;
    response.setHeader("retry-after", left);
    fail(response, 429, { failure: "rate_limited" });
    return false;
  };
};

const RECIPIENTS = /^\/aliases\/([^/?]+)\/recipients$/;
const ALIASES = /^\/aliases(?:\?(.*))?$/;

export type BareStore = {
  replace(account: string, alias: string, ids: readonly string[]): Replaced | Promise<Replaced>;
  /** Absent from stores whose lists are not measured. */
  list?(account: string, limit: number, after: string | null): Page;
};

/** Serves the API on a store, which is all that differs between the bare baselines. */
export const serveBare = async ({ issuer, audience, perMinute }: Setup, store: BareStore): Promise<void> => {
  const accountOf = await tokenCheck(issuer, audience);
  const admit = rateLimit(perMinute);

  const replace = (request: IncomingMessage, response: ServerResponse, account: string, alias: string) => {
    if (request.method !== "PUT") return fail(response, 405, { failure: "method_not_allowed" });
    if (request.headers["content-type"] !== "application/json")
      return fail(response, 415, { failure: "media_type" });
    let body = "";
    let tooLarge = false;
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      if (body.length + chunk.length > MAX_BODY_BYTES) tooLarge = true;
      else body += chunk;
    });
    request.on("end", () => {
      if (tooLarge) return fail(response, 413, { failure: "too_large" });
      const ids = recipientIds(body);
      if (ids === null) return fail(response, 400, { failure: "invalid" });
      const replaced = store.replace(account, alias, ids);
      if (!(replaced instanceof Promise)) return sendReplaced(response, replaced);
      replaced.then(
        (value) => sendReplaced(response, value),
        () => fail(response, 503, { failure: "unavailable" }),
      );
    });
  };

  const list = (request: IncomingMessage, response: ServerResponse, account: string, query: string) => {
    if (request.method !== "GET" || store.list === undefined)
      return fail(response, 405, { failure: "method_not_allowed" });
    const parameters = new URLSearchParams(query);
    const limit = Number(parameters.get("limit") ?? 50);
    const cursor = parameters.get("cursor");
    const after = cursor === null ? null : readCursor(account, cursor);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT || after === undefined)
      return fail(response, 400, { failure: "invalid" });
    sendPage(response, account, store.list(account, limit, after));
  };

  const server = createServer((request, response) => {
    const account = accountOf(request.headers.authorization);
    if (account === null) return fail(response, 401, { message: "Unauthorized" });
    if (!admit(account, response)) return;
    const url = request.url ?? "";
    const [, alias] = RECIPIENTS.exec(url) ?? [];
    if (alias !== undefined) return replace(request, response, account, alias);
    const aliases = ALIASES.exec(url);
    if (aliases !== null) return list(request, response, account, aliases[1] ?? "");
    fail(response, 404, { failure: "not_found" });
  });
  server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
};
