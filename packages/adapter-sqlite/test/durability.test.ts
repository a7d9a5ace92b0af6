import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "@postern/adapter-sqlite";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { expectKept, nothingWritten, readLines } from "./support/written.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");
const ROUNDS = Number(process.env["POSTERN_KILL_ROUNDS"] ?? 10);

const startWriter = (path: string, shell = 'exec "$@"') => {
  const writer = spawn("sh", ["-c", shell, "sh", process.execPath, WRITER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output: string[] = [];
  writer.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  return {
    firstLine: once(writer.stdout, "data"),
    kill: () => writer.kill("SIGKILL"),
    /** Everything it said, once it is gone. */
    said: once(writer, "close").then(([code, signal]) => ({ code, signal, output: output.join("") })),
  };
};

test(`what was acknowledged is there, and every rule holds, after each of ${ROUNDS} kills`, {
  timeout: ROUNDS * 6_000,
}, async () => {
  const path = newPath();
  const written = nothingWritten();
  for (let round = 0; round < ROUNDS; round += 1) {
    const writer = startWriter(path);
    await writer.firstLine;
    await setTimeout(5 + Math.random() * 250);
    writer.kill();
    const { signal, output } = await writer.said;
    expect(signal).toBe("SIGKILL");
    expect(readLines(written, output)).toBeGreaterThan(0);

    const store = sqliteStore({ path, clock: { now: Date.now } })._unsafeUnwrap();
    expect(await expectKept(store, written)).toBeLessThanOrEqual(1);
    store.close();
    expect(brokenRules(path)).toEqual([]);
  }
});

test("while a process has the file no other one gets it, and at once after that one was killed", async () => {
  const path = newPath();
  const writer = startWriter(path);
  await writer.firstLine;
  const refused = sqliteStore({ path, clock: { now: Date.now } });
  expect(refused._unsafeUnwrapErr()).toEqual({
    code: "in_use",
    message: `${path} is in use by another process`,
  });
  writer.kill();
  await writer.said;
  expect(await openStore(path).ping()).toHaveProperty("value");
});

test("when there is no more room, writes are unavailable, none is half-written, and reads go on", async () => {
  const path = newPath();
  // The system refuses to let any file grow beyond this; that the signal of it is ignored is left to the process.
  const writer = startWriter(path, `trap "" XFSZ; ulimit -f 800; exec "$@"`);
  const { code, output } = await writer.said;
  expect(code).toBe(0);
  const written = nothingWritten();
  expect(readLines(written, output)).toBeGreaterThan(0);
  const end = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  expect(end).toEqual({ read: written.aliases.size, ping: true });

  const store = openStore(path);
  expect(await expectKept(store, written)).toBe(0);
  expect(brokenRules(path)).toEqual([]);
});
