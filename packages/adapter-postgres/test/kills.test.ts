import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, test } from "vitest";
import { recipientNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { expectStored, nothingWritten, readLines } from "../../adapter-sqlite/test/support/written.ts";
import { openStore, useOwnPostgres, useStore } from "./support/use-postgres.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");
const ROUNDS = runsWhole(import.meta.url) ? 50 : 2;

const postgres = useOwnPostgres();

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
  timeout: 300_000 + ROUNDS * 10_000,
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

test("calls are unavailable while PostgreSQL is down, and succeed again afterwards", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url, { timeoutMs: 2_000 });
  const recipient = recipientNumber(0);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  await Promise.all(Array.from({ length: 5 }, () => store.ping()));
  await postgres().kill();
  const find = () => store.recipients.find(recipient.account, recipient.id);
  for (let n = 0; n < 10; n += 1) {
    expect(failureOf(await find())).toMatchObject({
      code: "unavailable",
      cause: {
        source: "postgres",
        reason: expect.stringMatching(
          /^(ECONNREFUSED|ECONNRESET|EPIPE|Connection terminated unexpectedly|57P\d\d \w+)$/,
        ),
      },
    });
    await setTimeout(10);
  }
  await postgres().start();
  expect(await find()).toMatchObject({ value: recipient });
});
