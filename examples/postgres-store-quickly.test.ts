/*
 * The quick checks of the contract for the example's store. postgres-store.test.ts, which the guide shows, runs the whole contract;
 * on PGlite that takes minutes, so only `.ci/nightly` runs it. PGlite has one connection, so its races are not real ones.
 */
import { readFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { contract, type OpenStore } from "@postern/adapter-contracts";
import { runsWhole } from "@postern/test-support/runs-whole";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresStore } from "./open-postgres-store.ts";
import { postgresStore } from "./postgres-store.ts";

const LONG = /\brace|random sequence|interleaved|several clients|at once|many/;

const quick = contract.filter(({ name }) => !LONG.test(name));

const schema = readFileSync(new URL("postgres-schema.sql", import.meta.url), "utf8");

let driver: PGlite;
beforeAll(async () => {
  driver = await PGlite.create();
});
afterAll(() => driver.close());

/** Opens the store in the same database, emptied: a new one would take longer than the check. */
const openEmptied: OpenStore = async () => {
  await driver.exec(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schema}`);
  return { store: postgresStore({ driver, onError: () => {} }), close: async () => {} };
};

/** By day every fourth of them. */
const checks = runsWhole(import.meta.url) ? quick : quick.filter((_, n) => n % 4 === 0);

test.for(checks)("$name", ({ name, run }, { skip }) =>
  run(/closed/.test(name) ? openPostgresStore : openEmptied, skip),
);

test("these are most of the checks that do not compete", () => {
  expect(quick.length).toBeGreaterThan(60);
});
