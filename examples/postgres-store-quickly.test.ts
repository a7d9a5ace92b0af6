/*
 * The example's store in what does not take long. postgres-store.test.ts, which the guide shows, runs the whole contract; on
 * PGlite that takes minutes, so only `.ci/nightly` does. PGlite has one connection, so its races are none.
 */
import { contract } from "@postern/adapter-contracts";
import { expect, test } from "vitest";
import { openPostgresStore } from "./open-postgres-store.ts";

const LONG = /\brace|random sequence|interleaved|several clients|at once|many/;

const quick = contract.filter(({ name }) => !LONG.test(name));

test.for(quick)("$name", { timeout: 120_000 }, ({ run }) => run(openPostgresStore));

test("these are most of the checks that do not compete", () => {
  expect(quick.length).toBeGreaterThan(60);
});
