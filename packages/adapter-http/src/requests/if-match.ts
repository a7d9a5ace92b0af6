import { err, ok, type Result } from "@postern/core";

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** A list of entity tags, for use in larger patterns. */
export const TAGS = `${TAG}(?:[ \\t]*,[ \\t]*${TAG})*`;
const IS_TAGS = new RegExp(`^${TAGS}$`);
const VERSION = /^"([1-9][0-9]{0,14})"$/;

/**
 * The versions at which an `If-Match` header (RFC 9110, section 13.1.1) allows a write; undefined for `*`, which allows any
 * version. For a malformed header, the reason. The comparison is strong: a weak tag, or one that no alias ever had, matches
 * nothing.
 */
export const readIfMatch = (header: string): Result<readonly number[] | undefined, string> => {
  if (header === "*") return ok(undefined);
  if (!IS_TAGS.test(header)) return err('must be `*` or a list such as "3", "4"');
  const tags = header.match(new RegExp(TAG, "g")) ?? [];
  return ok(
    tags
      .map((tag) => VERSION.exec(tag)?.[1])
      .filter((version) => version !== undefined)
      .map(Number),
  );
};
