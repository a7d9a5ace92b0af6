import { ok, parseAccountId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { accountId, aliasId } from "@postern/core/testing/arbitraries";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCursor, writeCursor } from "../src/requests/cursor.ts";

const alice = valueOf(parseAccountId("alice"));
const isInvalid = (cursor: unknown) => decodeCursor("aliases")(cursor, alice).isErr();

test("a cursor decodes to its id, for its own account and kind only", () => {
  fc.assert(
    fc.property(aliasId(), accountId(), accountId(), (id, account, other) => {
      const cursor = writeCursor("aliases", account, id);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor("aliases")(cursor, account)).toEqual(ok(id));
      for (const kind of ["recipients", "reassignment"] as const) {
        expect(decodeCursor(kind)(cursor, account).isErr()).toBe(true);
      }
      if (other !== account) expect(decodeCursor("aliases")(cursor, other).isErr()).toBe(true);
    }),
  );
});

test("there is no cursor after the last page", () => {
  expect(writeCursor("aliases", alice, null)).toBeNull();
});

test("rejects everything else with an explanation", () => {
  const good = writeCursor("aliases", alice, "a") ?? "";
  const bytes = Buffer.from(good, "base64url");
  const invalidUtf8 = Buffer.concat([bytes, Buffer.from([0xff])]).toString("base64url");
  const noId = bytes.subarray(0, 12).toString("base64url");
  for (const cursor of ["", "x", `${good}=`, `${good} `, invalidUtf8, noId, null, 7, [good]]) {
    expect(isInvalid(cursor), String(cursor)).toBe(true);
  }
  fc.assert(fc.property(fc.string(), isInvalid));
  expect(failureOf(decodeCursor("aliases")("x", alice))).toContain("next_cursor");
});
