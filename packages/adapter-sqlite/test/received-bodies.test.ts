import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { failureOf, valueOf } from "@postern/core/testing";
import { contentOf, readBody } from "@postern/test-support/spool-mail";
import { expect, test } from "vitest";
import { bodiesIn, bodyFiles } from "../src/spool/body-files.ts";
import { type DiskCalls, diskCalls } from "../src/spool/disk-calls.ts";
import { receivedBodies } from "../src/spool/received-bodies.ts";
import { newPath } from "./support/open-spools.ts";

/* Clients decide how many pieces a body arrives in. */

test("a body that arrives octet by octet takes little more memory than its octets", () => {
  const program = join(import.meta.dirname, "support/body-in-octets.ts");
  const { stdout, status } = spawnSync(process.execPath, ["--expose-gc", program], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(100_000);
  expect(Number(stdout)).toBeLessThan(2_000_000);
});

test("a body that arrives octet by octet is written in blocks", async () => {
  const path = newPath();
  mkdirSync(bodiesIn(path), { recursive: true });
  const disk = diskCalls(10_000);
  let calls = 0;
  const inTurn: DiskCalls["inTurn"] = (work) => {
    calls += 1;
    return disk.inTurn(work);
  };
  const bodies = receivedBodies({
    limit: 1_000_000,
    timeoutMs: 10_000,
    files: bodyFiles(path, { ...disk, inTurn }),
    stored: () => 0,
    room: async () => ({ outside: 1_000_000, all: 1_000_000 }),
    discard: async () => {},
    evict: async () => 0,
  });
  const content = contentOf(1, 400_000);
  const octets = async function* () {
    for (const octet of content) yield Uint8Array.of(octet);
  };
  const body = valueOf(await bodies.receive(octets()));
  // It is created, written in seven blocks, and flushed.
  expect(calls).toBe(9);
  expect(bodies.used()).toBe(400_000);
  expect(Buffer.compare(await readBody(body), content)).toBe(0);
});

test("bodies are evicted where room is lacking: those in the database make none for files and the log", async () => {
  // The room that evictions make, in one place at a time.
  const room = { outside: 0, all: 0 };
  const evicted: (readonly [number, string])[] = [];
  const bodies = receivedBodies({
    limit: 10_000,
    timeoutMs: 10_000,
    files: bodyFiles(newPath(), diskCalls(10_000)),
    stored: () => 0,
    room: async () => room,
    discard: async () => {},
    evict: async (octets, from) => {
      evicted.push([octets, from]);
      if (evicted.length > 4) return 0;
      if (from === "files") room.outside += 300;
      else room.all = Math.min(room.outside, room.all + 200);
      return 1;
    },
  });
  expect(valueOf(await bodies.reserve("mail", 350))).toBeUndefined();
  expect(evicted).toEqual([
    [350, "files"],
    [350, "files"],
    [350, "anywhere"],
    [150, "anywhere"],
  ]);
  bodies.release(350);
  // Nothing is evicted in vain.
  expect(failureOf(await bodies.reserve("mail", 700))).toEqual({ code: "spool_full" });
  expect(evicted.slice(4)).toEqual([[300, "files"]]);
});
