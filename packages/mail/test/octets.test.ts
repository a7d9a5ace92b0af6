import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUnlabelled, utf8 } from "../src/header/octets.ts";
import { anyText } from "./support/mail.ts";

test("octets that are valid UTF-8 are read as such", async () => {
  await fc.assert(
    fc.property(anyText(), (text) => {
      // A decoder removes a byte order mark at the beginning.
      expect(decodeUnlabelled(utf8(text))).toBe(text.replace(/^\ufeff/, ""));
    }),
  );
  expect(utf8("\ud800")).toBe(utf8("\ufffd"));
});
