import { errorCodes, type FastifyInstance } from "fastify";

const { FST_ERR_CTP_INVALID_JSON_BODY, FST_ERR_CTP_INVALID_MEDIA_TYPE } = errorCodes;

/** What a PATCH may be sent as: every one is a JSON Merge Patch (RFC 7396). */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;

const JSON_IN_UTF8 =
  /^application\/(?:json|(merge-patch\+json))[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Bodies are JSON in UTF-8 and nothing else: Fastify's own parsers take text and any charset, and let what is
 * no UTF-8 through with replacement characters. A key such as `__proto__` is refused. No body is undefined.
 */
export const readJsonBodies = (api: FastifyInstance): void => {
  const parseJson = api.getDefaultJsonParser("error", "error");
  api.removeAllContentTypeParsers();
  api.addContentTypeParser([...PATCH_TYPES], { parseAs: "buffer" }, (request, body: Buffer, done) => {
    const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
    const [known, mergePatch] = JSON_IN_UTF8.exec(type) ?? [];
    const foreign = known === undefined || (mergePatch !== undefined && request.method !== "PATCH");
    if (foreign || encoding !== "identity") return done(new FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (body.length === 0) return done(null, undefined);
    try {
      return parseJson(request, new TextDecoder("utf-8", { fatal: true }).decode(body), done);
    } catch {
      return done(new FST_ERR_CTP_INVALID_JSON_BODY());
    }
  });
};
