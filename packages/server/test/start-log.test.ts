import { rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { unlimited } from "./support/environment.ts";
import { lifetime, run, useSilentIssuer } from "./support/main-process.ts";

const environment = await useSilentIssuer();

test("warns that it created a store, and does not warn again once there is one", async () => {
  const path = join(newDirectory(), "postern.db");
  const logged = async () => {
    const server = run({ ...environment, POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path });
    const lines: string[] = [];
    for await (const line of createInterface({ input: server.stdout })) {
      lines.push(line);
      if (line.includes('"serving"')) server.kill("SIGTERM");
    }
    return lines.map((line) => JSON.parse(line));
  };
  const created = { level: 40, path, msg: `created a new, empty store at ${path}` };
  const others = [{ msg: "serving" }, { msg: "stopping" }, { msg: "stopped" }];
  expect(await logged()).toMatchObject([created, ...others]);
  expect(await logged()).toMatchObject(others);
  // For example a backup that was restored to another path, and an empty file left by a full disk.
  await rm(path);
  await writeFile(path, "");
  expect(await logged()).toMatchObject([created, ...others]);
});

test("logs at the start where it serves, its version, where its store is, and what is off", async () => {
  const path = join(newDirectory(), "postern.db");
  const [, first] = await lifetime({
    ...environment,
    POSTERN_STORE: "sqlite",
    POSTERN_SQLITE_PATH: relative(".", path),
  });
  expect(first).toEqual({
    level: 30,
    msg: "serving",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    version: "0.1.0",
    store: { kind: "sqlite", path },
    off: [
      "receiving and forwarding mail",
      "keys",
      "browser app",
      "metrics",
      "access log",
      "rate limits shared over Redis",
    ],
  });

  const metricsPort = await freePort();
  const [all] = await lifetime({
    ...environment,
    ...unlimited,
    POSTERN_RATE_LIMIT: "0",
    POSTERN_ACCESS_LOG: "true",
    POSTERN_WEBHOOKS: "false",
    POSTERN_KEYS_PORT: "0",
    POSTERN_KEYS_URL: "https://keys.postern.test",
    POSTERN_WEB_PORT: "0",
    POSTERN_WEB_URL: "https://mail.postern.test",
    POSTERN_METRICS_PORT: `${metricsPort}`,
    POSTERN_REDIS_URL: "redis://redis-user:redis-password@127.0.0.1:1",
  });
  expect(all).toEqual({
    level: 30,
    msg: "serving",
    url: expect.any(String),
    version: "0.1.0",
    store: { kind: "memory" },
    keys: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    web: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    off: [
      "receiving and forwarding mail",
      "webhooks",
      "rate limit",
      "creation limit",
      "limit of aliases",
      "limit of recipients",
      "limit of unverified recipients",
      "limit of contacts",
      "limit of blocked senders",
      "limit of verification messages",
    ],
  });
});

test("warns that the memory store loses everything, and that a secret can be read by everybody", async () => {
  const path = join(newDirectory(), "link-secret");
  await writeFile(path, `${environment.POSTERN_LINK_SECRET}\n`, { mode: 0o644 });
  const [, ...lines] = await lifetime({
    ...environment,
    POSTERN_LINK_SECRET: "",
    POSTERN_LINK_SECRET_FILE: path,
  });
  expect(lines.slice(0, 2)).toEqual([
    { level: 40, msg: "everything is lost when this server stops: POSTERN_STORE is memory" },
    {
      level: 40,
      msg: `POSTERN_LINK_SECRET_FILE: ${path} can be read by every user of this machine (mode 0644): use mode 0600 or 0400`,
    },
  ]);
});
