import { createHash } from "node:crypto";
import type { AccountId } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { InvalidField, RequestError } from "../problems/failure.ts";
import { invalidField } from "./input.ts";

/** Where a cursor of each kind stands in a request. */
const PLACES = {
  aliases: { parameter: "cursor" },
  recipients: { parameter: "cursor" },
  reassignment: { pointer: "/cursor" },
} satisfies Record<string, Omit<InvalidField, "reason">>;

export type CursorKind = keyof typeof PLACES;

const BINDING_BYTES = 12;

const binding = (kind: CursorKind, account: AccountId): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([kind, account]))
    .digest()
    .subarray(0, BINDING_BYTES);

/** Opaque text for "the items after `last`", of use for this kind and account only. */
export const writeCursor = (kind: CursorKind, account: AccountId, last: string): string =>
  Buffer.concat([binding(kind, account), Buffer.from(last, "utf8")]).toString("base64url");

const open = (kind: CursorKind, account: AccountId, cursor: string): string | null => {
  const bytes = Buffer.from(cursor, "base64url");
  // Node skips what is not base64url; such text is not a cursor that this service wrote.
  if (bytes.toString("base64url") !== cursor) return null;
  if (!bytes.subarray(0, BINDING_BYTES).equals(binding(kind, account))) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(BINDING_BYTES));
  } catch {
    return null;
  }
};

/**
 * The id that a cursor stands for; null, the first page, without one. The binding is no secret: it keeps a
 * cursor from being used where it means nothing, while the account keeps tenants apart.
 */
export const readCursor = <Id extends z.ZodType>(
  kind: CursorKind,
  account: AccountId,
  cursor: string | undefined,
  id: Id,
): Result<z.output<Id> | null, RequestError> => {
  if (cursor === undefined) return ok(null);
  const last = id.safeParse(open(kind, account, cursor));
  return last.success
    ? ok(last.data)
    : err(invalidField(PLACES[kind], "must be a `next_cursor` of answers to this request"));
};
