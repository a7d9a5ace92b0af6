import { AccountId, AliasId } from "@postern/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "../src/requests/cursor.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const ids = text.filter((id) => AliasId.safeParse(id).success).map((id) => AliasId.parse(id));
const accounts = ids.map((id) => AccountId.parse(id));

test("a cursor leads back to its id, for its own account and list only", () => {
  fc.assert(
    fc.property(ids, accounts, accounts, (id, account, other) => {
      const cursor = writeCursor("aliases", account, id);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(readCursor("aliases", account, cursor, AliasId)._unsafeUnwrap()).toBe(id);
      for (const kind of ["recipients", "reassignment"] as const) {
        expect(readCursor(kind, account, cursor, AliasId).isErr()).toBe(true);
      }
      if (other !== account) expect(readCursor("aliases", other, cursor, AliasId).isErr()).toBe(true);
    }),
  );
});

test("nothing else is a cursor", () => {
  const account = AccountId.parse("alice");
  const good = writeCursor("aliases", account, AliasId.parse("a"));
  const bytes = Buffer.from(good, "base64url");
  const invalidUtf8 = Buffer.concat([bytes, Buffer.from([0xff])]).toString("base64url");
  const noId = bytes.subarray(0, 12).toString("base64url");
  for (const cursor of ["", "x", `${good}=`, `${good} `, invalidUtf8, noId]) {
    expect(readCursor("aliases", account, cursor, AliasId).isErr(), cursor).toBe(true);
  }
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      expect(readCursor("aliases", account, cursor, AliasId).isErr()).toBe(true);
    }),
  );
});
