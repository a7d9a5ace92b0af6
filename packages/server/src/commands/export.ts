import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exportRecords, writeRecord } from "@postern/archive";
import { type AccountId, err, ok, parseAccountId, type Unavailable } from "@postern/core";
import type { OpenedStore } from "../stores/open-store.ts";
import type { Command } from "./command.ts";
import { explainCause } from "./explain-cause.ts";
import { progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const exportStore: Command["run"] = async (configuration, [only]) => {
  const account = only === undefined ? ok(null) : parseAccountId(only);
  if (account.isErr()) return err("ACCOUNT is not a valid account id.");
  return withStore(configuration, "must exist", async (store) => {
    const count = progress("records", account.value === null ? await totalOf(store) : "");
    const { lines, end } = linesOf(store, account.value, count);
    await pipeline(Readable.from(lines), process.stdout, { end: false });
    return await end();
  });
};

/** How much an export of everything will write, for a terminal; empty if the store does not say. */
const totalOf = async (store: OpenedStore): Promise<string> => {
  if (!process.stderr.isTTY) return "";
  const extent = await store.extent();
  if (extent.isErr()) return "";
  return extent.value.counted === "records"
    ? `of ${extent.value.count}`
    : `from about ${extent.value.estimate} items (as DynamoDB estimated in the last six hours; a record takes several)`;
};

const linesOf = (store: OpenedStore, account: AccountId | null, count: ReturnType<typeof progress>) => {
  let written = 0;
  let failure: Unavailable | null = null;
  async function* lines() {
    for await (const record of exportRecords(store, account)) {
      if (record.isErr()) {
        failure = record.error;
        return;
      }
      yield `${writeRecord(record.value)}\n`;
      written += 1;
      count.one();
    }
  }
  const end = async () => {
    count.end();
    if (failure === null) {
      return account !== null && written === 0
        ? err("Nothing is stored for this account: check its id.")
        : ok(`Records exported: ${written}.`);
    }
    // `unavailable` can mean that the store is down, or that it contains a record that does not parse.
    const what = (await store.ping()).isOk()
      ? "the store responds, but a record could not be read"
      : "the store did not respond";
    return err(`The export is incomplete: ${what} (${explainCause(failure)}). Records exported: ${written}.`);
  };
  return { lines: lines(), end };
};
