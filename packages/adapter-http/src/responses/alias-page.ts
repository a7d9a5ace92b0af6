import type { Alias } from "@postern/core";
import { aliasJson } from "./alias-json.ts";

/** The maximum number of addresses in a part of a page. As an address has up to 254 characters, a part is at most about 80 KB long. */
const ADDRESSES_IN_PART = 320;

/** The aliases, in one or more parts. */
const inParts = (aliases: readonly Alias[]): readonly (readonly Alias[])[] => {
  const parts: Alias[][] = [[]];
  let room = ADDRESSES_IN_PART;
  for (const alias of aliases) {
    const { length } = alias.destinations;
    if (length > room) {
      parts.push([]);
      room = ADDRESSES_IN_PART;
    }
    parts.at(-1)?.push(alias);
    room -= length;
  }
  return parts;
};

/**
 * The parts of the JSON of a page of aliases, at least one, each rendered when it is needed. The largest page has almost 1
 * MB: V8 treats a string of more than 128 KB as a large object, and only a full garbage collection frees one that had to wait
 * for the client.
 */
export const aliasPage = (
  aliases: readonly Alias[],
  nextCursor: string | null,
): readonly (() => string)[] => {
  const parts = inParts(aliases);
  // Almost always the case. Nothing is cut off and joined, which would copy the whole text twice.
  if (parts.length === 1) {
    return [() => JSON.stringify({ aliases: aliases.map(aliasJson), next_cursor: nextCursor })];
  }
  return parts.map((part, n) => () => {
    const begin = n === 0 ? '{"aliases":[' : ",";
    const end = n === parts.length - 1 ? `],"next_cursor":${JSON.stringify(nextCursor)}}` : "";
    return begin + JSON.stringify(part.map(aliasJson)).slice(1, -1) + end;
  });
};
