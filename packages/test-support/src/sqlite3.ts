import { spawnSync } from "node:child_process";
import { installOnDebian } from "./install-on-debian.ts";

const hasSqlite3 = (): boolean => spawnSync("sqlite3", ["--version"]).status === 0;

/** Runs before all tests: operators read the store's file with the `sqlite3` command of their distribution. */
export const setup = (): void => installOnDebian("sqlite3", hasSqlite3, "the sqlite3 command");
