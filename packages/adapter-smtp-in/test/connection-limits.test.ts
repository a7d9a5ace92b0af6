import fc from "fast-check";
import { expect, test } from "vitest";
import { connectionLimits } from "../src/connection-limits.ts";

test("an address can have a limited number of connections at a time, however many the others have", () => {
  const address = fc.constantFrom("192.0.2.1", "192.0.2.2", "2001:db8::1");
  const steps = fc.array(fc.tuple(fc.boolean(), address), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, most) => {
      const limits = connectionLimits(most);
      const counts = new Map<string, number>();
      for (const [enters, from] of all) {
        const count = counts.get(from) ?? 0;
        if (enters) {
          expect(limits.enter(from)).toBe(count < most);
          counts.set(from, Math.min(most, count + 1));
        } else if (count > 0) {
          limits.leave(from);
          counts.set(from, count - 1);
        }
      }
    }),
  );
});

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", true],
  ["2001:db8::1", "2001:db8:0:0:ffff::", true],
  ["2001:db8:1:2::", "2001:db8:1:3::", false],
  ["::1", "::2", true],
  ["1::", "2::", false],
  ["192.0.2.1", "192.0.2.2", false],
])("%s and %s are one client: %j", (one, other, same) => {
  const limits = connectionLimits(1);
  expect(limits.enter(one)).toBe(true);
  expect(limits.enter(other)).toBe(!same);
});
