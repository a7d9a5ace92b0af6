import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backupSqlite } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { recipientNumber } from "./support/samples.ts";

const NOBODY = 65_534;
const AS_NOBODY = join(import.meta.dirname, "support/as-nobody.ts");

/** The output of a process of the user `nobody` that opens the store in the file and writes to it. */
const asNobody = (path: string): string => {
  const { stdout, stderr } = spawnSync(process.execPath, [AS_NOBODY, path], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout;
};

/** A path in a new directory that belongs to `nobody`. */
const pathOfNobody = (): string => {
  const path = newPath();
  chownSync(dirname(path), NOBODY, NOBODY);
  return path;
};

const ownersIn = (directory: string): Readonly<Record<string, number>> =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, statSync(join(directory, name)).uid]));

/** Only root can act as two users. */
describe.skipIf(process.getuid?.() !== 0)("files that root creates", () => {
  test("a store that root has opened can still be opened by the service", async () => {
    const path = pathOfNobody();
    const store = openStore(path);
    valueOf(await store.recipients.create(recipientNumber(1), NO_LIMITS));
    expect(ownersIn(dirname(path))).toEqual({
      "postern.db": NOBODY,
      "postern.db-lock": NOBODY,
      "postern.db-lock-journal": NOBODY,
      "postern.db-shm": NOBODY,
      "postern.db-wal": NOBODY,
    });
    store.close();
    expect(asNobody(path)).toBe("written");
    // An existing store without a lock file, such as a restored backup.
    unlinkSync(`${path}-lock`);
    openStore(path).close();
    expect(ownersIn(dirname(path))).toEqual({ "postern.db": NOBODY, "postern.db-lock": NOBODY });
  });

  test("directories that root creates belong to the owner of the directory above", () => {
    const above = dirname(pathOfNobody());
    openStore(join(above, "var/postern/postern.db")).close();
    expect([above, join(above, "var"), join(above, "var/postern")].map((path) => statSync(path).uid)).toEqual(
      [NOBODY, NOBODY, NOBODY],
    );
    expect(asNobody(join(above, "var/postern/postern.db"))).toBe("written");
  });

  test("the lock belongs to the owner of the file, whoever owns the directory", () => {
    const path = newPath();
    chmodSync(dirname(path), 0o777);
    writeFileSync(path, "", { mode: 0o600 });
    chownSync(path, NOBODY, NOBODY);
    openStore(path).close();
    expect(asNobody(path)).toBe("written");
  });

  test("a backup belongs to the owner of its directory", async () => {
    const path = pathOfNobody();
    openStore(path).close();
    const [own, others] = [join(dirname(path), "backup.db"), join(dirname(path), "root")];
    mkdirSync(others);
    for (const to of [own, join(others, "backup.db")]) valueOf(await backupSqlite({ path, to }));
    expect(statSync(own).uid).toBe(NOBODY);
    expect(statSync(join(others, "backup.db")).uid).toBe(0);
  });

  test("the error names the file that a service cannot open", () => {
    const path = pathOfNobody();
    openStore(path).close();
    chownSync(`${path}-lock`, 0, 0);
    expect(asNobody(path)).toBe(`${path} cannot be opened: EACCES: permission denied, access '${path}-lock'`);
  });
});
