import { expect, test } from "vitest";
import { touches } from "../src/whole-files.ts";

const SQLITE = "packages/adapter-sqlite/test/durability.test.ts";
const SERVER = "packages/server/test/mail-kills.test.ts";

test.each([
  ["itself", SQLITE, SQLITE, true],
  ["what it imports", "packages/adapter-sqlite/src/store/turns.ts", SQLITE, true],
  ["a migration of its package", "packages/adapter-sqlite/src/migrations/0001-initial.sql", SQLITE, true],
  ["a helper that only starts a process", "packages/adapter-sqlite/test/support/writer.ts", SQLITE, true],
  ["what is in the built server", "packages/adapter-smtp/src/index.ts", SERVER, true],
  ["a command of the built server", "packages/server/src/commands/backup.ts", SERVER, true],
  [
    "the rules of the alerts",
    "deploy/prometheus/rules/postern-alerts.yml",
    "packages/server/test/alert-rules.test.ts",
    true,
  ],
  ["another package's version", "pnpm-lock.yaml", SQLITE, true],
  ["another store", "packages/adapter-postgres/src/index.ts", SQLITE, false],
  ["another test", "packages/adapter-sqlite/test/spool-kills.test.ts", SQLITE, false],
  ["a document", "packages/adapter-sqlite/README.md", SQLITE, false],
  ["the core, which everything imports", "packages/core/src/index.ts", SQLITE, false],
])("a change of %s: %s", (_, changed, file, expected) => {
  expect(touches(["README.md", changed], file)).toBe(expected);
});
