import { createHash } from "node:crypto";

/* The cursor with which Postern's lists continue: the id of the last alias, tied to its account. */

const BINDING_BYTES = 12;

const bindings = new Map<string, Buffer>();

const bindingOf = (account: string): Buffer => {
  let binding = bindings.get(account);
  if (binding === undefined) {
    const hash = createHash("sha256").update(JSON.stringify(["aliases", account]));
    binding = hash.digest().subarray(0, BINDING_BYTES);
    bindings.set(account, binding);
  }
  return binding;
};

export const writeCursor = (account: string, last: string | null): string | null =>
  last === null ? null : Buffer.concat([bindingOf(account), Buffer.from(last)]).toString("base64url");

/** The id in a cursor; undefined if the cursor is not one of this account. */
export const readCursor = (account: string, cursor: string): string | undefined => {
  const bytes = Buffer.from(cursor, "base64url");
  const right = bytes.length > BINDING_BYTES && bytes.subarray(0, BINDING_BYTES).equals(bindingOf(account));
  return right ? bytes.toString("utf8", BINDING_BYTES) : undefined;
};
