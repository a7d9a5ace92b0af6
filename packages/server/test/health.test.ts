import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, onTestFinished, test } from "vitest";
import { movableClock, tenSecondsLater } from "./support/clock.ts";
import { environment, unlimited } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startServerProcess } from "./support/server-process.ts";

/* GET /health of a real server, during and after a failure outside it. */

/** A server on a SQLite file with 50 recipients. */
const start = async () => {
  const path = join(newDirectory(), "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  for (let n = 0; n < 50; n += 1) {
    const identity = {
      id: valueOf(parseRecipientId(`recipient-${n}`)),
      account: valueOf(parseAccountId("somebody")),
      email: valueOf(parseEmailAddress(`mailbox-${n}@example.org`)),
      nonce: "nonce",
    };
    valueOf(await store.recipients.create(Recipient.verify(Recipient.add(identity, 0), 0), NO_LIMITS));
  }
  store.close();
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const server = await startServerProcess({
    ...environment,
    ...unlimited,
    ...movableClock,
    POSTERN_STORE: "sqlite",
    POSTERN_SQLITE_PATH: path,
    POSTERN_ISSUER: provider.issuer,
  });
  onTestFinished(async () => void (await server.stop()));
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
  const statusOf = async (route: string, init: RequestInit = {}) =>
    (await fetch(server.url + route, { headers, ...init })).status;
  return {
    path,
    pid: server.pid,
    health: () => statusOf("/health"),
    /** A result may be 2 seconds old, and the file counts as damaged for 10 seconds. */
    later: () => tenSecondsLater(server.pid),
    read: () => statusOf("/recipients"),
    write: (active: boolean) =>
      statusOf("/recipients/recipient-0", { method: "PATCH", body: JSON.stringify({ active }) }),
  };
};

/** Overwrites the file from `position` on, without truncating it. */
const overwrite = (path: string, bytes: Buffer, position: number): void => {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
};

describe("without a restart, /health is 503 only", () => {
  test("while the server cannot write to any file, as on a full disk or one that is mounted read-only", async () => {
    const { pid, health, later, read, write } = await start();
    expect([await health(), await write(false)]).toEqual([200, 200]);
    // The limit on the size of files makes every write fail, and needs no root. Node ignores the signal that comes with it.
    execFileSync("prlimit", [`--pid=${pid}`, "--fsize=0:unlimited"]);
    later();
    await expect.poll(health).toBe(503);
    expect([await read(), await write(true)]).toEqual([200, 503]);
    execFileSync("prlimit", [`--pid=${pid}`, "--fsize=unlimited:unlimited"]);
    later();
    await expect.poll(health).toBe(200);
    expect(await write(true)).toBe(200);
  });

  test("while the file has been moved away", async () => {
    const { path, health, later } = await start();
    expect(await health()).toBe(200);
    renameSync(path, `${path}.moved`);
    later();
    await expect.poll(health).toBe(503);
    renameSync(`${path}.moved`, path);
    later();
    await expect.poll(health).toBe(200);
  });

  test("while requests find the file damaged", async () => {
    const { path, health, later, read } = await start();
    const whole = readFileSync(path);
    overwrite(path, Buffer.alloc(whole.length - 4096, 0xff), 4096);
    expect(await read()).toBe(503);
    await expect.poll(health).toBe(503);
    overwrite(path, whole.subarray(4096), 4096);
    later();
    await expect.poll(health).toBe(200);
    expect(await read()).toBe(200);
  });
});
