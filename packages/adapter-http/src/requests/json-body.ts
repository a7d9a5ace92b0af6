import { errorCodes, type FastifyInstance } from "fastify";
import { headerValues } from "../syntax/header-values.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { hasUniqueNames } from "../syntax/unique-names.ts";

const { FST_ERR_CTP_INVALID_JSON_BODY, FST_ERR_CTP_INVALID_MEDIA_TYPE } = errorCodes;

export const MAX_BODY_BYTES = 64 * 1024;

const JSON_IN_UTF8 =
  /^application\/(?:json|(merge-patch\+json))[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text; null if it is not UTF-8, or begins with a byte order mark, which JSON must not (RFC 8259, section 8.1). */
const readUtf8 = (bytes: Buffer): string | null => {
  try {
    const text = UTF8.decode(bytes);
    return text.startsWith("\ufeff") ? null : text;
  } catch {
    return null;
  }
};

/**
 * Accepts only JSON in UTF-8: Fastify's own parsers accept text and any charset, and replace invalid UTF-8 silently.
 * Refuses a member named `__proto__`, or two members of the same name. Without a body, `request.body` is undefined.
 */
export const parseJsonBodies = (instance: FastifyInstance): void => {
  const parseJson = instance.getDefaultJsonParser("error", "error");
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser([...PATCH_TYPES], { parseAs: "buffer" }, (request, body: Buffer, done) => {
    const { "content-encoding": encoding = "identity" } = request.headers;
    const [type = "", ...others] = headerValues(request.raw, "content-type");
    const [known, mergePatch] = JSON_IN_UTF8.exec(type) ?? [];
    const foreign = known === undefined || (mergePatch !== undefined && request.method !== "PATCH");
    if (foreign || others.length > 0 || encoding !== "identity")
      return done(new FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (body.length === 0) return done(null, undefined);
    const malformed = () => done(new FST_ERR_CTP_INVALID_JSON_BODY());
    const json = readUtf8(body);
    if (json === null) return malformed();
    return parseJson(request, json, (error, value) =>
      error === null && !hasUniqueNames(json, value) ? malformed() : done(error, value),
    );
  });
};
