import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exportRecords, writeRecord } from "@postern/archive";
import { AccountId, parse, type Store } from "@postern/core";
import { err, ok } from "neverthrow";
import type { Command } from "./command.ts";
import { progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const exporting: Command = {
  usage: "export [ACCOUNT]",
  meaning:
    "writes everything of one account, or of all, to standard output as JSON Lines; addresses are among it",
  run: async (configuration, [only, ...more]) => {
    if (more.length > 0) return null;
    const account = only === undefined ? ok(null) : parse(AccountId, only);
    if (account.isErr()) return err("That is no account.");
    return withStore(configuration, async (store) => {
      const { lines, end } = linesOf(store, account.value);
      await pipeline(Readable.from(lines), process.stdout, { end: false });
      return end();
    });
  },
};

const linesOf = (store: Store, account: AccountId | null) => {
  const count = progress("records");
  let written = 0;
  let failed = false;
  async function* lines() {
    for await (const record of exportRecords(store, account)) {
      if (record.isErr()) {
        failed = true;
        return;
      }
      yield `${writeRecord(record.value)}\n`;
      written += 1;
      count.one();
    }
  }
  const end = () => {
    count.end();
    return failed
      ? err(`The store did not answer after ${written} records: what was written is not all.`)
      : ok(`${written} records are written.`);
  };
  return { lines: lines(), end };
};
