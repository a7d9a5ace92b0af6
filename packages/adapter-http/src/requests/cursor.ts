import { hash } from "node:crypto";
import { type AccountId, err, ok, type Result } from "@postern/core";
import type { Decode } from "./source.ts";

/** The operation whose result a cursor continues. */
export type CursorKind =
  | "aliases"
  | "recipients"
  | "contacts"
  | "messages"
  | "blocked-senders"
  | "reassignment";

const BINDING_BYTES = 12;

const binding = (kind: CursorKind, account: AccountId): Buffer =>
  hash("sha256", JSON.stringify([kind, account]), "buffer").subarray(0, BINDING_BYTES);

/** Opaque text for "the items after `last`", valid only for this kind and account; null if there are no more items. */
export const writeCursor = (kind: CursorKind, account: AccountId, last: string | null): string | null =>
  last === null
    ? null
    : Buffer.concat([binding(kind, account), Buffer.from(last, "utf8")]).toString("base64url");

/**
 * Returns a decoder for cursors of one kind, which yields the id that a cursor stands for. The binding is not a secret: it
 * only prevents a cursor from being used where it has no meaning. Access is limited by the account, not by the cursor.
 */
export const decodeCursor =
  (kind: CursorKind): Decode =>
  (cursor, account): Result<string, string> => {
    const invalid = err("must be a `next_cursor` from an earlier response of this operation");
    if (typeof cursor !== "string" || account === null) return invalid;
    const bytes = Buffer.from(cursor, "base64url");
    // Node skips characters that are not base64url; text with such characters was not written by this service.
    if (bytes.toString("base64url") !== cursor || bytes.length <= BINDING_BYTES) return invalid;
    if (!bytes.subarray(0, BINDING_BYTES).equals(binding(kind, account))) return invalid;
    try {
      const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return ok(utf8.decode(bytes.subarray(BINDING_BYTES)));
    } catch {
      return invalid;
    }
  };
