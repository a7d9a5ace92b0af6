import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { bodiesIn, bodyFiles } from "../src/spool/body-files.ts";
import { type DiskCalls, diskCalls } from "../src/spool/disk-calls.ts";
import { receivedBodies } from "../src/spool/received-bodies.ts";
import { newDirectory } from "./support/spool.ts";
import { contentOf, readBody } from "./support/spool-mail.ts";

/* Clients decide in how many pieces a body arrives. */

test("a body that arrives octet by octet takes little more memory than its octets", () => {
  const program = join(import.meta.dirname, "support/body-in-octets.ts");
  const { stdout, status } = spawnSync(process.execPath, ["--expose-gc", program], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(100_000);
  expect(Number(stdout)).toBeLessThan(2_000_000);
});

test("a body that arrives octet by octet is written in blocks", async () => {
  const directory = newDirectory();
  onTestFinished(directory.remove);
  const path = directory.file("spool");
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
    room: async () => 1_000_000,
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
