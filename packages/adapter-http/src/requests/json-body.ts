import { errorCodes, type FastifyInstance } from "fastify";
import { headerValues } from "../syntax/header-values.ts";
import { hasUniqueNames } from "../syntax/unique-names.ts";

const { FST_ERR_CTP_INVALID_JSON_BODY, FST_ERR_CTP_INVALID_MEDIA_TYPE } = errorCodes;

/** What a PATCH may be sent as: every one is a JSON Merge Patch (RFC 7396). */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;

const JSON_IN_UTF8 =
  /^application\/(?:json|(merge-patch\+json))[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** The text; null where it is no UTF-8, or begins with the mark that JSON must not have (RFC 8259, section 8.1). */
const readUtf8 = (bytes: Buffer): string | null => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith("\ufeff") ? null : text;
  } catch {
    return null;
  }
};

/**
 * Bodies are JSON in UTF-8 and nothing else: Fastify's own parsers take text and any charset, and let what is
 * no UTF-8 through with replacement characters. A name such as `__proto__`, or one given twice, is refused. No body
 * is undefined.
 */
export const readJsonBodies = (api: FastifyInstance): void => {
  const parseJson = api.getDefaultJsonParser("error", "error");
  api.removeAllContentTypeParsers();
  api.addContentTypeParser([...PATCH_TYPES], { parseAs: "buffer" }, (request, body: Buffer, done) => {
    const { "content-encoding": encoding = "identity" } = request.headers;
    const [type = "", ...others] = headerValues(request.raw, "content-type");
    const [known, mergePatch] = JSON_IN_UTF8.exec(type) ?? [];
    const foreign = known === undefined || (mergePatch !== undefined && request.method !== "PATCH");
    if (foreign || others.length > 0 || encoding !== "identity")
      return done(new FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (body.length === 0) return done(null, undefined);
    const broken = () => done(new FST_ERR_CTP_INVALID_JSON_BODY());
    const json = readUtf8(body);
    if (json === null) return broken();
    return parseJson(request, json, (error, value) =>
      error === null && !hasUniqueNames(json) ? broken() : done(error, value),
    );
  });
};
