import fc from "fast-check";
import { expect, test } from "vitest";
import { isPassedTime } from "../src/authentication/passed-time.ts";

/* How gateways pass the times of a token on. */

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** As Java's `Date.toString` does in UTC. */
const javaText = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  const day = `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())}`;
  return `${day} ${time} UTC ${date.getUTCFullYear()}`;
};

/** Until the end of the year 9999. */
const instant = fc.integer({ min: 0, max: 253_402_300_799 });

test.each([
  // https://github.com/awslabs/serverless-photo-recognition, README.md
  ["Sun Jan 08 08:12:34 UTC 2017", 1_483_863_154],
  ["Sun Jan 08 07:12:34 UTC 2017", 1_483_859_554],
  // https://github.com/aws-powertools/powertools-lambda-typescript, packages/parser/tests/events/apigw-{rest,http}/jwt-authorizer-auth.json
  ["Tue Jun 18 15:00:04 UTC 2024", 1_718_722_804],
  ["1718722804", 1_718_722_804],
])("in the event of a real gateway: %s", (passed, seconds) => {
  expect(isPassedTime(passed, seconds)).toBe(true);
  expect(isPassedTime(passed, seconds + 1)).toBe(false);
});

test("every instant is recognized as a number, in digits and as text, and no other is", () => {
  fc.assert(
    fc.property(instant, instant, (seconds, other) => {
      for (const passed of [seconds, String(seconds), javaText(seconds)]) {
        expect(isPassedTime(passed, seconds)).toBe(true);
        expect(isPassedTime(passed, other)).toBe(seconds === other);
      }
    }),
  );
});

test("text that differs anywhere is refused", () => {
  const change = fc.record({
    at: fc.nat({ max: 28 }),
    removed: fc.nat({ max: 3 }),
    added: fc.string({ maxLength: 3 }),
  });
  fc.assert(
    fc.property(instant, change, (seconds, { at, removed, added }) => {
      const text = javaText(seconds);
      const changed = text.slice(0, at) + added + text.slice(at + removed);
      expect(isPassedTime(changed, seconds)).toBe(changed === text);
    }),
  );
});

test.each([
  "Wed May 18 12:31:07 GMT 2022",
  "Wed May 18 12:31:07 CEST 2022",
  "Wed, 18 May 2022 12:31:07 GMT",
  "2022-05-18T12:31:07Z",
  "Thu May 18 12:31:07 UTC 2022",
  "Wed May 18 12:31:7 UTC 2022",
  " Wed May 18 12:31:07 UTC 2022",
  "Wed May 18 12:31:07 UTC 2022 ",
  "wed may 18 12:31:07 utc 2022",
  "1652877067.0",
  "1.652877067E9",
  " 1652877067",
  "+1652877067",
  "0x62850ffb",
  [1_652_877_067],
  null,
  undefined,
])("another form of a time is refused: %j", (passed) => {
  expect(isPassedTime("Wed May 18 12:31:07 UTC 2022", 1_652_877_067)).toBe(true);
  expect(isPassedTime(passed, 1_652_877_067)).toBe(false);
});

test.each([
  ["Wed Feb 30 12:31:07 UTC 2022", "Wed Mar 02 12:31:07 UTC 2022"],
  ["Wed May 18 24:00:00 UTC 2022", "Thu May 19 00:00:00 UTC 2022"],
])("a date that does not exist is none: %s", (impossible, possible) => {
  const seconds = Date.parse(possible) / 1000;
  expect(isPassedTime(possible, seconds)).toBe(true);
  expect(isPassedTime(impossible, seconds)).toBe(false);
});
