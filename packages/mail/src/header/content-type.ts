import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { headerTokens } from "./header-tokens.ts";

/** The declared content type of a message or a part of one (RFC 2045, section 5.1). */
export type ContentType = {
  /** In lower case, without parameters: `text/plain` if none is declared. */
  readonly type: string;
  /** The line between the parts of a `multipart`, without its hyphens; null if there is none. */
  readonly boundary: string | null;
};

const BOUNDARY = "boundary=";

/** Takes any text. */
export const contentType = (fields: readonly HeaderField[]): ContentType => {
  const [value = "text/plain"] = HeaderFields.values(fields, "content-type");
  const segments = [""];
  for (const { kind, text } of headerTokens(value)) {
    if (kind === "special" && text === ";") segments.push("");
    else if (kind !== "comment" && kind !== "space") segments.push(segments.pop() + text);
  }
  const [type = "", ...parameters] = segments;
  const boundary = parameters.find((parameter) => parameter.toLowerCase().startsWith(BOUNDARY));
  return { type: type.toLowerCase(), boundary: boundary?.slice(BOUNDARY.length) || null };
};
