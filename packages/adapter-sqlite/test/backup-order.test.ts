import fs, { existsSync, readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { backupSqlite } from "@postern/adapter-sqlite";
import { beforeEach, expect, test, vi } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";

/** The operations on files and directories, in order. A power loss undoes names that were not flushed. */
const steps: string[] = [];
/** The code that linking fails with; null if it works. Not every test run has a file system without hard links. */
const linking: { error: string | null } = { error: null };

beforeEach(() => {
  linking.error = null;
  const { openSync, fsyncSync, linkSync, renameSync, rmSync } = fs;
  const opened = new Map<number, string>();
  vi.spyOn(fs, "openSync").mockImplementation((...args) => {
    const file = openSync(...args);
    opened.set(file, String(args[0]));
    return file;
  });
  vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
    fsyncSync(file);
    steps.push(`flush ${opened.get(file)}`);
  });
  vi.spyOn(fs, "linkSync").mockImplementation((from, to) => {
    if (linking.error !== null) throw Object.assign(new Error(linking.error), { code: linking.error });
    linkSync(from, to);
    steps.push(`link ${from} ${to}`);
  });
  vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    renameSync(from, to);
    steps.push(`rename ${from} ${to}`);
  });
  vi.spyOn(fs, "rmSync").mockImplementation((path, options) => {
    if (existsSync(path)) steps.push(`remove ${path}`);
    rmSync(path, options);
  });
  // Otherwise only those who import the whole module would notice.
  syncBuiltinESMExports();
  return () => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  };
});

/** The steps of a backup; the random part of the temporary name is left out. */
const backUp = async (path: string, to: string) => {
  steps.length = 0;
  const result = await backupSqlite({ path, to });
  return { result, steps: steps.map((step) => step.replace(/[0-9a-f]{16}\.partial/, "partial")) };
};

test("the content is flushed before it gets its name, and the name before the backup is reported", async () => {
  const path = newPath();
  openStore(path);
  const directory = dirname(path);
  const to = join(directory, "monday.db");
  const made = await backUp(path, to);
  expect(made.result).toHaveProperty("value");
  expect(made.steps).toEqual([
    `flush ${to}.partial`,
    `link ${to}.partial ${to}`,
    `remove ${to}.partial`,
    `flush ${directory}`,
  ]);
});

test("without hard links, the backup is renamed, unless its name is taken", async () => {
  const path = newPath();
  openStore(path);
  for (const code of ["EPERM", "ENOTSUP"]) {
    const to = `${path}.${code}`;
    linking.error = code;
    const made = await backUp(path, to);
    expect(made.result).toHaveProperty("value");
    expect(made.steps).toEqual([
      `flush ${to}.partial`,
      `rename ${to}.partial ${to}`,
      `flush ${dirname(path)}`,
    ]);
    expect(brokenRules(to)).toEqual([]);
  }
  const to = `${path}.both`;
  const both = await Promise.all([backupSqlite({ path, to }), backupSqlite({ path, to })]);
  expect(both.filter((result) => result.isOk())).toHaveLength(1);
});

test("a backup to a directory that does not exist creates nothing", async () => {
  const path = newPath();
  openStore(path);
  const directory = join(dirname(path), "mistyped");
  const { result, steps } = await backUp(path, join(directory, "monday.db"));
  expect(result).toMatchObject({
    error: {
      code: "cannot_back_up",
      message: `${path} cannot be backed up to ${directory}/monday.db: the directory ${directory} does not exist`,
    },
  });
  expect(steps).toEqual([]);
  expect(existsSync(directory)).toBe(false);
});

test("a backup that cannot be given its name leaves nothing behind", async () => {
  const path = newPath();
  openStore(path);
  linking.error = "EIO";
  const { result } = await backUp(path, `${path}.backup`);
  expect(result).toMatchObject({ error: { code: "cannot_back_up" } });
  expect(existsSync(`${path}.backup`)).toBe(false);
  expect(readdirSync(dirname(path)).filter((name) => name.includes("partial"))).toEqual([]);
});
