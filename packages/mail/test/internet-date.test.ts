import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { internetDate, parseInternetDate } from "../src/header/internet-date.ts";

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

describe("a date that is read", () => {
  test("is what was written", async () => {
    await fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.parse("9999-12-31T23:59:59Z") / 1000 }), (seconds) => {
        expect(parseInternetDate(internetDate(1000 * seconds))).toBe(1000 * seconds);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["Tue, 14 Nov 2023 23:13:20 +0100", "2023-11-14T22:13:20Z"],
    ["Tue, 14 Nov 2023 22:13:20 -0330 (NST)", "2023-11-15T01:43:20Z"],
    ["tue ,14 NOV 2023 22:13 gmt", "2023-11-14T22:13:00Z"],
    ["14 Nov 2023 22:13:20 UT", "2023-11-14T22:13:20Z"],
    ["(a) 1 (b (c)) Mar\t2024  00:00:00 (\\)) +0000", "2024-03-01T00:00:00Z"],
    ["29 Feb 2024 12:00:00 Z", "2024-02-29T12:00:00Z"],
    ["Sat, 31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00Z"],
  ])("can be %s", (value, expected) => {
    expect(parseInternetDate(value)).toBe(Date.parse(expected));
  });

  test.each([
    "",
    "yesterday",
    "2023-11-14T22:13:20Z",
    "Tue Nov 14 22:13:20 2023",
    "14 Nov 23 22:13:20 +0000",
    "14 Foo 2023 22:13:20 +0000",
    "29 Feb 2023 22:13:20 +0000",
    "31 Apr 2023 22:13:20 +0000",
    "0 Nov 2023 22:13:20 +0000",
    "14 Nov 2023 24:13:20 +0000",
    "14 Nov 2023 22:60:20 +0000",
    "14 Nov 2023 22:13:61 +0000",
    "14 Nov 2023 22:13:20 +0060",
    "14 Nov 2023 22:13:20",
    "14 Nov 2023 22:13:20 PST",
    "31 Dec 1969 23:59:59 +0000",
    "1 Jan 1970 00:00:00 +0100",
  ])("cannot be %j", (value) => {
    expect(parseInternetDate(value)).toBeNull();
  });
});
