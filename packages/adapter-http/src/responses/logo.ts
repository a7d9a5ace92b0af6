import { err, ok, type Result } from "@postern/core";

/** It is part of every page, and a third larger there. */
const MAX_BYTES = 64 * 1024;

type Format = { readonly type: string; readonly matches: (bytes: Buffer) => boolean };

const beginsWith =
  (...signature: readonly number[]) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, signature.length).equals(Buffer.from(signature));

const isSvg = (bytes: Buffer): boolean => {
  const text = bytes.toString("utf8");
  return (
    /^\ufeff?\s*</.test(text) &&
    /<svg[\s>]/.test(text) &&
    // Browsers show nothing without the namespace.
    text.includes("http://www.w3.org/2000/svg") &&
    // The page from which an image should have been downloaded.
    !/<!doctype html|<html/i.test(text)
  );
};

const FORMATS: readonly Format[] = [
  { type: "image/png", matches: beginsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: "image/jpeg", matches: beginsWith(0xff, 0xd8, 0xff) },
  { type: "image/svg+xml", matches: isSvg },
];

/** The logo as a `data:` URL, or what is wrong with it. Browsers run no scripts of an image, and load nothing that it refers to. */
export const logoUrl = (logo: Uint8Array): Result<string, string> => {
  if (logo.byteLength > MAX_BYTES) return err("must be at most 64 KiB");
  const bytes = Buffer.from(logo.buffer, logo.byteOffset, logo.byteLength);
  const format = FORMATS.find(({ matches }) => matches(bytes));
  return format === undefined
    ? err("must be a PNG, JPEG or SVG image (an SVG in UTF-8, with its namespace)")
    : ok(`data:${format.type};base64,${bytes.toString("base64")}`);
};

/**
 * What is wrong with a logo, continuing a sentence that starts with its name; null if nothing is.
 *
 * @example
 * ```ts
 * logoProblem(new Uint8Array(100_000)); // "must be at most 64 KiB"
 * ```
 */
export const logoProblem = (logo: Uint8Array): string | null =>
  logoUrl(logo).match(
    () => null,
    (problem) => problem,
  );
