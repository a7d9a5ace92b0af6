import { err, type FindDifferences, ok, type Result, type Unavailable } from "@postern/core";
import { query, statement } from "../statement.ts";
import { addresses } from "./addresses.ts";
import { attached } from "./attached.ts";
import { attachments } from "./attachments.ts";
import type { Check, Checked } from "./check.ts";
import { destinations } from "./destinations.ts";
import { leftovers } from "./leftovers.ts";
import { tallies } from "./tallies.ts";
import { unreadable } from "./unreadable.ts";
import { usage } from "./usage.ts";
import { words } from "./words.ts";

/** What is removed or added comes first: the counts follow from the rest. */
const CHECKS: readonly Check[] = [
  ...leftovers,
  attachments,
  attached,
  destinations,
  ...addresses,
  words,
  usage,
  tallies,
  ...unreadable,
];

const TABLES = ["aliases", "recipients", "account_usage", "attachments", "alias_words", "addresses"] as const;

/** The first account after another one that has a row in any table. */
const NEXT_ACCOUNT = statement(
  "next_account_to_check",
  `SELECT min(account) AS account FROM (
    ${TABLES.map((table) => `SELECT min(account) AS account FROM ${table} WHERE account > $1`).join(" UNION ALL ")}
  ) AS next`,
);

async function* accountsOf({ database }: Checked): AsyncGenerator<Result<string, Unavailable>> {
  let after = "";
  for (;;) {
    const next = await database.run(undefined, query(NEXT_ACCOUNT, after), ([row]) => ok(row?.["account"]));
    if (next.isErr()) yield err(next.error);
    if (next.isErr() || typeof next.value !== "string") return;
    after = next.value;
    yield ok(after);
  }
}

export const findDifferences = (checked: Checked): FindDifferences =>
  async function* (onAccount) {
    for await (const account of accountsOf(checked)) {
      if (account.isErr()) {
        yield err(account.error);
        return;
      }
      for (const check of CHECKS) {
        for await (const difference of check(checked, account.value)) {
          yield difference;
          if (difference.isErr()) return;
        }
      }
      onAccount();
    }
  };
