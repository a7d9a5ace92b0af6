import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { err, ok, type Result } from "@postern/core";
import { expect, test } from "vitest";
import { fairTurns } from "../src/turns.ts";
import { account } from "./support/mail-server.ts";

const ada = account("ada");
const grace = account("grace");

test("a request whose turn does not come in time fails at its deadline, which frees its place", async () => {
  const turns = fairTurns({ places: 2, servers: 1 });
  const { promise: released, resolve: release } = Promise.withResolvers<Result<string, never>>();
  const held = turns.run(ada, 60_000, () => released);
  const waits = turns.run(grace, 50, async () => ok("too late"));
  expect(await turns.run(account("alan"), 60_000, async () => ok("no place"))).toEqual(err("full"));
  expect(await waits).toEqual(err("late"));

  const next = turns.run(grace, 60_000, async () => ok("in time"));
  release(ok("done"));
  expect(await held).toEqual(ok("done"));
  expect(await next).toEqual(ok("in time"));
});

test("work that continues after its deadline keeps its turn until it ends", async () => {
  const turns = fairTurns({ places: 2, servers: 1 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const log: string[] = [];
  const late = turns.run(ada, 20, async (signal) => {
    await once(signal, "abort");
    log.push("deadline");
    await released;
    log.push("end");
    return ok();
  });
  const next = turns.run(grace, 60_000, async () => ok(log.push("next")));
  await expect.poll(() => log).toContain("deadline");
  await setImmediate();
  release();
  await Promise.all([late, next]);
  expect(log).toEqual(["deadline", "end", "next"]);
});

test("work that throws or rejects ends its turn", async () => {
  const turns = fairTurns({ places: 2, servers: 1 });
  const throws = turns.run(ada, 60_000, () => {
    throw new Error("thrown");
  });
  const rejects = turns.run(grace, 60_000, () => Promise.reject(new Error("rejected")));
  await expect(throws).rejects.toThrow("thrown");
  await expect(rejects).rejects.toThrow("rejected");
  expect(await turns.run(ada, 60_000, async () => ok("next"))).toEqual(ok("next"));
});
