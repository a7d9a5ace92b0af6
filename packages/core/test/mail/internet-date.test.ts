import * as fc from "fast-check";
import { expect, test } from "vitest";
import { internetDate } from "../../src/mail/internet-date.ts";

test.each([
  [0, "Thu, 1 Jan 1970 00:00:00 +0000"],
  [951_827_696_789, "Tue, 29 Feb 2000 12:34:56 +0000"],
  [1_709_164_800_000, "Thu, 29 Feb 2024 00:00:00 +0000"],
  [1_709_251_199_999, "Thu, 29 Feb 2024 23:59:59 +0000"],
  [4_107_542_400_000, "Mon, 1 Mar 2100 00:00:00 +0000"],
])("%i is %s", (time, date) => {
  expect(internetDate(time)).toBe(date);
});

test("any time is as JavaScript writes it, apart from leading zeros and the name of the zone", async () => {
  await fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.parse("9999-12-31T23:59:59Z") }), (time) => {
      const expected = new Date(time).toUTCString().replace(", 0", ", ").replace("GMT", "+0000");
      expect(internetDate(time)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
