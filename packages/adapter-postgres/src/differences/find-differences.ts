import { ok } from "@postern/core";
import { differencesByAccount, type FindDifferences } from "@postern/core/store";
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

/** Removals and additions come first: the counts follow from the rest. */
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

const TABLES = [
  "aliases",
  "recipients",
  "contacts",
  "blocked_senders",
  "logged_messages",
  "resends",
  "webhooks",
  "announcements",
  "webhook_turns",
  "account_usage",
  "attachments",
  "alias_words",
  "addresses",
] as const;

/** The first account after another one that has a row in any table. */
const NEXT_ACCOUNT = statement(
  "next_account_to_check",
  `SELECT min(account) AS account FROM (
    ${TABLES.map((table) => `SELECT min(account) AS account FROM ${table} WHERE account > $1`).join(" UNION ALL ")}
  ) AS next`,
);

export const findDifferences = (checked: Checked): FindDifferences =>
  differencesByAccount(
    (after) =>
      checked.database.run(undefined, query(NEXT_ACCOUNT, after), ([row]) => {
        const account = row?.["account"];
        return ok(typeof account === "string" ? account : null);
      }),
    CHECKS.map((check) => (account) => check(checked, account)),
  );
