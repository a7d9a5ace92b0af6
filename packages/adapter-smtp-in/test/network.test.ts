import { expect, test } from "vitest";
import { isLocal, networkOf } from "../src/network.ts";

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", true],
  ["2001:db8::1", "2001:db8:0:0:ffff::", true],
  ["2001:DB8::1", "2001:db8::2", true],
  ["2001:db8:1:2::", "2001:db8:1:3::", false],
  ["::1", "::2", true],
  ["1::", "2::", false],
  ["192.0.2.1", "192.0.2.2", false],
  ["192.0.2.1", "::ffff:192.0.2.1", true],
  ["::ffff:192.0.2.1", "::FFFF:192.0.2.2", false],
])("%s and %s are in one network: %j", (one, other, same) => {
  expect(networkOf(one) === networkOf(other)).toBe(same);
});

test.each([
  ["127.0.0.1", true],
  ["10.1.2.3", true],
  ["172.31.0.1", true],
  ["172.32.0.1", false],
  ["192.168.1.1", true],
  ["192.0.2.1", false],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["fd00::1", true],
  ["2001:db8::1", false],
])("%s is local: %j", (address, local) => {
  expect(isLocal(address)).toBe(local);
});
