import { createHash } from "node:crypto";
import { type AnyPostern, ok } from "@postern/core";
import { openApiDocument } from "../openapi/document.ts";
import { emptyResponse, type Outcome } from "../responses/response.ts";
import type { RegisteredRoute } from "./route.ts";

/** Whether the client has the body with this tag already (RFC 9110, section 13.1.2). */
const hasAlready = (tag: string, ifNoneMatch = ""): boolean =>
  ifNoneMatch
    .split(",")
    .map((each) => each.trim().replace(/^W\//, ""))
    .some((each) => each === "*" || each === tag);

/**
 * Describes the API. The document is made once, and all clients that read it slowly share it.
 *
 * @param basePath the path that the API is mounted at
 */
export const documentRoute = (postern: AnyPostern, basePath: string): RegisteredRoute => {
  const body = Buffer.from(JSON.stringify(openApiDocument(postern, basePath)));
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  // It changes only when the server is updated.
  const cached = { etag, "cache-control": "public, max-age=300" };
  const described = { "content-type": "application/json; charset=utf-8", "content-length": `${body.length}` };
  return {
    method: "GET",
    path: "/openapi.json",
    open: true,
    handler:
      () =>
      async ({ headers }): Promise<Outcome> =>
        ok(
          hasAlready(etag, headers["if-none-match"])
            ? { ...emptyResponse(304), headers: cached }
            : { status: 200, headers: { ...described, ...cached }, body: [body] },
        ),
  };
};
