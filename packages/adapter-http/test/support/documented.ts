import type { FastifyInstance } from "fastify";
import { assertDocumented } from "./conformance.ts";

/** Paths that the document does not describe: what this is, and the document itself. */
const OTHERS = /^(?:\/v1)?\/(?:openapi\.json)?(?:\?|$)/;

/** The API, which from now on responds 500 instead of sending anything that the document does not describe. */
export const documented = (api: FastifyInstance, basePath = ""): FastifyInstance => {
  api.addHook("onSend", async ({ method, url }, reply, payload) => {
    const path = url.slice(basePath.length);
    if (reply.statusCode < 400 && OTHERS.test(path)) return payload;
    const isStream = typeof payload === "object" && payload !== null;
    try {
      assertDocumented(method, path, {
        statusCode: reply.statusCode,
        headers: reply.getHeaders(),
        body: isStream ? null : String(payload ?? ""),
      });
    } catch (error) {
      // Nobody else would say why the response is another one.
      console.error(error);
      throw error;
    }
    return payload;
  });
  return api;
};
