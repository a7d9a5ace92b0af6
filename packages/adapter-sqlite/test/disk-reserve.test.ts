import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { NO_LIMITS } from "@postern/core";
import { failureOf, testMessage, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { isReserveNeeded, yielding } from "../src/store/disk-reserve.ts";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, announcementTo, recipientNumber, webhookNumber } from "./support/samples.ts";

const PAGE = { limit: 10, after: null };
const home = recipientNumber(0);
const alias = aliasNumber(0, [home]);
const webhook = webhookNumber(0);

test("while the rest of the disk is needed for settings, messages are not logged, and nothing is announced", async () => {
  const store = openStore(newPath());
  let isNeeded = true;
  const { messageLog, outbox } = yielding(store, () => isNeeded);
  valueOf(await store.recipients.create(home, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const log = () => messageLog.save(testMessage(alias), NO_LIMITS);
  const announced = async () => valueOf(await outbox.list(webhook, PAGE)).items.length;
  expect(failureOf(await log())).toEqual({
    code: "unavailable",
    cause: { source: "disk", reason: "too little space for logs" },
  });
  valueOf(await outbox.announce([announcementTo(webhook)]));
  expect(await announced()).toBe(0);
  isNeeded = false;
  valueOf(await log());
  valueOf(await outbox.announce([announcementTo(webhook)]));
  expect(await announced()).toBe(1);
  expect(valueOf(await messageLog.list(alias, PAGE)).items).toHaveLength(1);
});

test("a disk that cannot be measured has space", async () => {
  const store = openStore(newPath());
  const { outbox } = yielding(store, () => isReserveNeeded("/nowhere/at-all"));
  valueOf(await outbox.announce([announcementTo(webhook)]));
  expect(valueOf(await outbox.list(webhook, PAGE)).items).toHaveLength(1);
});

test.each([
  [60, true],
  [70, false],
])("a disk with %i MiB: the rest is needed for settings: %s", async (size, isNeeded) => {
  const path = newPath();
  mkdirSync(path);
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const mount = `mount -t tmpfs -o size=${size}m none '${path}' && echo mounted && exec sleep infinity`;
  // Others see the disk only through this process.
  const [command = "", ...args] = ["unshare", "--mount", ...user, "sh", "-c", mount];
  const holder = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, "data");
  expect(isReserveNeeded(join("/proc", String(holder.pid), "root", path))).toBe(isNeeded);
});
