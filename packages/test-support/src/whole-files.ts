import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

declare module "vitest" {
  interface ProvidedContext {
    /** The absolute paths of the test files that run whole. */
    readonly wholeFiles: readonly string[];
  }
}

const ROOT = join(import.meta.dirname, "../../..");

/** By night, everything runs whole. */
export const NIGHT = process.env["POSTERN_NIGHT"] !== undefined;

const git = (...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
};

/**
 * The commit before the change: POSTERN_BASE; otherwise where the branch left the main branch; on the main branch, the commit before
 * the last one. Null if that is not known, as in a shallow clone.
 */
const base = (): string | null => {
  const head = git("rev-parse", "HEAD");
  const left = process.env["POSTERN_BASE"] ?? git("merge-base", "HEAD", "origin/HEAD");
  return left === null || left === head ? git("rev-parse", "--verify", "--quiet", "HEAD^") : left;
};

/** The files that the change touches, committed or not; null if that is not known. */
const changedFiles = (): readonly string[] | null => {
  const before = base();
  const changed = before === null ? null : git("diff", "--name-only", "--no-renames", before);
  const created = git("ls-files", "--others", "--exclude-standard");
  if (changed === null || created === null) return null;
  return `${changed}\n${created}`.split("\n").filter((file) => file !== "");
};

const changed = NIGHT ? null : changedFiles();

/** Tests import the location of the built server, not what it is built from. */
const BUILT_SERVER = "packages/test-support/src/built-server.ts";
const SERVER = "packages/server/src/main.ts";

/** Imports, and what is read, started or loaded otherwise. */
const IMPORT =
  /(?:from|import)[ (]*"(@postern\/[^"]+|\.[^"]+)"|(?:new URL\(|import\.meta\.dirname, )"([^":]+)"/g;

const imports = new Map<string, readonly string[]>();

const importsOf = (file: string): readonly string[] => {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const path = join(ROOT, file);
  const found = [...readFileSync(path, "utf8").matchAll(IMPORT)].map(([, imported, read]) => {
    const to = imported ?? read ?? "";
    return relative(ROOT, to.startsWith("@") ? createRequire(path).resolve(to) : join(dirname(path), to));
  });
  const all = file === BUILT_SERVER ? [...found, SERVER] : found;
  imports.set(file, all);
  return all;
};

/**
 * The files and folders that `file` imports or reads, directly or not. Those of the core and of mail are left out, because everything
 * imports them: their own tests, and the contract's of their rules, are never cut short.
 */
const reach = (file: string, reached = new Set<string>()): ReadonlySet<string> => {
  if (reached.has(file) || /^packages\/(core|mail)\/src\//.test(file)) return reached;
  reached.add(file);
  if (file.endsWith(".ts")) for (const next of importsOf(file)) reach(next, reached);
  return reached;
};

/**
 * Whether a change of these files touches this file, or what it imports. A change of the dependencies touches every file. All are
 * relative to the root.
 */
export const touches = (changed: readonly string[], file: string): boolean => {
  const reached = [...reach(file), "pnpm-lock.yaml"];
  return changed.some((each) => reached.some((path) => each === path || each.startsWith(`${path}/`)));
};

/** Whether the change touches this file, or what it imports. */
export const isTouched = (file: string): boolean => changed !== null && touches(changed, file);

const RUNS_WHOLE = "packages/test-support/src/runs-whole.ts";

/** The test files that have a short form. */
const longFiles = globSync(["packages/*/test/**/*.test.ts", "{bench/test,examples}/*.test.ts"], {
  cwd: ROOT,
}).filter((file) => importsOf(file).includes(RUNS_WHOLE));

const whole = longFiles.filter((file) => NIGHT || isTouched(file));

export const wholeFiles: readonly string[] = whole.map((file) => join(ROOT, file));

/** The test files of a run that ran in their short form, relative to the root. */
export const shortFiles = (run: readonly string[]): readonly string[] =>
  run.map((file) => relative(ROOT, file)).filter((file) => longFiles.includes(file) && !whole.includes(file));

/** Whether it is known what the change touches. */
export const isChangeKnown = changed !== null;
