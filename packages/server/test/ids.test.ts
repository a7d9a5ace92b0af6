import { compareIds } from "@postern/core";
import { expect, test } from "vitest";
import { uuids } from "../src/system/ids.ts";

test("ids ascend, however fast they are asked for", () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? uuids.alias() : uuids.recipient()));
  for (const [i, id] of ids.slice(1).entries()) expect(compareIds(ids[i] ?? "", id)).toBeLessThan(0);
});

test("ids ascend when the system clock is set back", () => {
  const real = Date.now;
  const before = uuids.alias();
  try {
    Date.now = () => real() - 3_600_000;
    expect(compareIds(before, uuids.alias())).toBeLessThan(0);
  } finally {
    Date.now = real;
  }
});
