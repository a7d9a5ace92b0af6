import { crc32, deflateRawSync } from "node:zlib";
import type { ReleaseFile } from "./release-file.ts";

/* ZIP archives, as APPNOTE.TXT of PKWARE specifies them, without anything for large ones. */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/** The lowest version of the format that has this. */
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const UTF_8_NAMES = 1 << 11;
const DEFLATED = 8;
/** 1985-10-26, the date of everything that npm packs. The same files produce the same bytes. */
const DATE = ((1985 - 1980) << 9) | (10 << 5) | 26;
/** A file that everybody can read, as the functions of AWS Lambda need it. */
const MODE = 0o100644;

/** Writes numbers of 2 or 4 octets, one after the other. */
const numbers = (...fields: readonly (readonly [octets: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    fields.map(([octets, value]) => {
      const field = Buffer.alloc(octets);
      field.writeUIntLE(value, 0, octets);
      return field;
    }),
  );

/** The files as a ZIP archive. */
export const zip = (files: readonly ReleaseFile[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const about = numbers(
      [2, VERSION],
      [2, UTF_8_NAMES],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, crc32(content)],
      [4, packed.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([numbers([4, LOCAL]), about, name, packed]);
    directory.push(
      numbers([4, CENTRAL], [2, MADE_ON_UNIX]),
      about,
      // No comment, the first disk, no attributes inside; outside, those of Unix.
      numbers([2, 0], [2, 0], [2, 0], [4, MODE * 2 ** 16], [4, offset]),
      name,
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = numbers(
    [4, END],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, central.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, central, end]);
};
