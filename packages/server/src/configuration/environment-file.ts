import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { err, ok, type Result } from "@postern/core";
import { systemCode } from "../system/system-code.ts";
import type { Environment } from "./configuration.ts";
import { ENV, fileVariable } from "./names.ts";

/** What postern.service has as its EnvironmentFile. */
export const ENVIRONMENT_FILE = "/etc/postern/postern.env";

/** What the units in deploy/systemd set themselves. A command that reads their file is about the same store, spool and key. */
export const SET_BY_UNITS: Readonly<Record<string, string>> = {
  [ENV.sqlitePath]: "/var/lib/postern/postern.db",
  [ENV.spoolPath]: "/var/lib/postern/spool",
  [ENV.dkimKey]: "/etc/postern/dkim.pem",
};

const MAX_BYTES = 256 * 1024;

const BLANK = /^[ \t]*(?:[#;].*)?$/;

/**
 * An assignment that systemd (env-file.c) and Node (`util.parseEnv`, `--env-file`) read alike. They do not agree about a backslash
 * outside of single quotes, a `#` outside of quotes, and whatever follows a closing quote.
 */
const ASSIGNMENT =
  /^[ \t]*(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?:'(?<single>[^']*)'|"(?<double>[^"\\]*)"|(?<bare>[^'"`\\#]*?))[ \t]*$/;

const CONTROL = /[^\P{Cc}\t]/u;

/** Why systemd and Node would not read a line alike, without any part of it; null if they do. */
const problemOf = (line: string): string | null => {
  if (CONTROL.test(line)) return "contains a control character";
  if (BLANK.test(line)) {
    return line.endsWith("\\") ? "is a comment that ends with a backslash: remove the backslash" : null;
  }
  if (ASSIGNMENT.test(line)) return null;
  if (/^[ \t]*export[ \t]/.test(line)) return "begins with `export`, which systemd does not know: remove it";
  if (!/^[ \t]*[A-Za-z_]\w*[ \t]*=/.test(line)) return "is not of the form NAME=value";
  return "has a value that systemd and other programs read differently: put it in 'single quotes', on one line";
};

/** The variables in an environment file, or a sentence about each line that is not clear, without any part of it. */
export const parseEnvironmentFile = (
  text: string,
): Result<Readonly<Record<string, string>>, readonly string[]> => {
  const lines = text.split(/\r?\n/);
  const problems = lines.flatMap((line, n) => {
    const problem = problemOf(line);
    return problem === null ? [] : [`Line ${n + 1} ${problem}.`];
  });
  if (problems.length > 0) return err(problems);
  const variables = lines.flatMap((line) => {
    const { name = "", single, double, bare = "" } = ASSIGNMENT.exec(line)?.groups ?? {};
    return name === "" ? [] : [[name, single ?? double ?? bare] as const];
  });
  return ok(Object.fromEntries(variables));
};

type Unread = { readonly code: string };

const textOf = (path: string): Result<string, Unread> => {
  try {
    if (statSync(path).size > MAX_BYTES) return err({ code: "larger than 256 KiB" });
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path)));
  } catch (error) {
    return err({ code: systemCode(error) });
  }
};

/** The other way to set a variable: a secret, or the file that it is in. */
const otherNameOf = (name: string): string =>
  name.endsWith("_FILE") ? name.slice(0, -"_FILE".length) : fileVariable(name);

/** The file is not read. `message` is for whoever runs the program. `unclear`: something in the file has to be corrected. */
export type CannotUseFile = { readonly code: "unreadable" | "unclear"; readonly message: string };

/** What a file adds to the environment. */
export type FromFile = {
  readonly variables: Readonly<Record<string, string>>;
  /** Where the configuration comes from, as a line for whoever runs the program; empty if only from the environment. */
  readonly notice: string;
};

const NOTHING: FromFile = { variables: {}, notice: "" };

/**
 * What the environment lacks and a file has: the named one, which must exist, or else `standard`. What the environment has, even if it is
 * empty, is not taken from the file. Nothing is read in the process that systemd itself has started, because its unit says
 * what is in the environment; nor if there is no `standard`.
 */
export const readEnvironmentFile = (
  environment: Environment,
  named: string | undefined,
  standard = ENVIRONMENT_FILE,
): Result<FromFile, CannotUseFile> => {
  if (named === undefined && environment["SYSTEMD_EXEC_PID"] === `${process.pid}`) return ok(NOTHING);
  const path = resolve(named ?? standard);
  const text = textOf(path);
  if (text.isErr()) {
    const { code } = text.error;
    if (named !== undefined)
      return err({ code: "unreadable", message: `${path} cannot be read (${code}).\n` });
    if (code === "ENOENT" || code === "ENOTDIR") return ok(NOTHING);
    const notice = `${path} cannot be read (${code}): run this as root, or name another file with --env-file.\n`;
    // Somebody who has configured the process in another way may not need the file.
    const isConfigured = Object.keys(environment).some((name) => name.startsWith("POSTERN_"));
    return isConfigured ? ok({ variables: {}, notice }) : err({ code: "unreadable", message: notice });
  }
  const parsed = parseEnvironmentFile(text.value);
  if (parsed.isErr()) {
    return err({ code: "unclear", message: `${path} is not clear:\n\n  ${parsed.error.join("\n  ")}\n` });
  }
  const all = path === resolve(standard) ? { ...SET_BY_UNITS, ...parsed.value } : parsed.value;
  const isSetOtherwise = (name: string) => (environment[otherNameOf(name)] ?? "") !== "";
  const missing = Object.entries(all).filter(
    ([name]) => environment[name] === undefined && !isSetOtherwise(name),
  );
  const replaced = Object.entries(parsed.value)
    .filter(([name, value]) => (environment[name] ?? value) !== value || isSetOtherwise(name))
    .map(([name]) => name);
  const besides = replaced.length === 0 ? "" : `, but ${replaced.join(", ")} from the environment`;
  return ok({ variables: Object.fromEntries(missing), notice: `Configuration: ${path}${besides}\n` });
};
