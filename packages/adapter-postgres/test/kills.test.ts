import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { expectStored, nothingWritten, readLines } from "../../adapter-sqlite/test/support/written.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");
/** More in a nightly run. */
const ROUNDS = Number(process.env["POSTERN_KILL_ROUNDS"] ?? 6);

const postgres = usePostgres();

const startWriter = (url: string) => {
  const writer = spawn(process.execPath, [WRITER, url], { stdio: ["ignore", "pipe", "inherit"] });
  const output: string[] = [];
  writer.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  return {
    firstLine: once(writer.stdout, "data"),
    kill: () => writer.kill("SIGKILL"),
    /** How it ended, and everything it printed. */
    ended: once(writer, "close").then(([code, signal]) => ({ code, signal, output: output.join("") })),
  };
};

test(`after each of ${ROUNDS} kills of a store's process or of PostgreSQL, everything acknowledged is stored and every rule holds`, {
  timeout: 30_000 + ROUNDS * 10_000,
}, async () => {
  const url = await postgres().newDatabase();
  const written = nothingWritten();
  for (let round = 0; round < ROUNDS; round += 1) {
    const writer = startWriter(url);
    await writer.firstLine;
    await setTimeout(5 + Math.random() * 250);
    if (round % 2 === 0) {
      writer.kill();
      expect((await writer.ended).signal).toBe("SIGKILL");
    } else {
      await postgres().kill();
      expect(await writer.ended).toMatchObject({ code: 0, signal: null });
      await postgres().start();
    }
    const { output } = await writer.ended;
    expect(readLines(written, output)).toBeGreaterThan(0);

    const store = await openStore(url);
    // A statement that was under way when its process was killed may complete a little later.
    await expect.poll(() => running(url)).toEqual([]);
    expect(await expectStored(store, written)).toBeLessThanOrEqual(1);
    for await (const difference of store.differences(() => {})) expect(difference).toBeNull();
    await store.close();
  }
});

const running = (url: string) =>
  postgres().sql(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postern' AND state <> 'idle'",
    [],
    url,
  );
