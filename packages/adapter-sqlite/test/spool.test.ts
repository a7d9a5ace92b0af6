import { cpSync } from "node:fs";
import { join } from "node:path";
import { testSpool } from "@postern/adapter-contracts/vitest";
import { type SqliteSpool, sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";

testSpool("sqliteSpool", async ({ limit }) => {
  const opened: SqliteSpool[] = [];
  const directory = newDirectory();
  const open = async (path: string) => {
    const spool = valueOf(await sqliteSpool({ path, limit }));
    opened.push(spool);
    return spool;
  };
  let generation = 0;
  const path = () => join(directory, `spool-${generation}`);
  return {
    spool: await open(path()),
    // What a crash would leave: the files as they are, while the spool has them open.
    reopen: async () => {
      const before = path();
      generation += 1;
      cpSync(before, path(), { recursive: true });
      return open(path());
    },
    close: async () => {
      for (const spool of opened) await spool.close();
    },
  };
});
