import { err, ok } from "@postern/core";
import { differencesByAccount, type FindDifferences } from "@postern/core/store";
import { attached } from "./attached.ts";
import type { Check, Checked } from "./check.ts";
import { destinations } from "./destinations.ts";
import { damagedFile } from "./file.ts";
import { leftovers } from "./leftovers.ts";
import { positions } from "./positions.ts";
import { retired } from "./retired.ts";
import { tallies } from "./tallies.ts";
import { unreadable } from "./unreadable.ts";
import { unreadableAnnouncements } from "./unreadable-announcements.ts";
import { unreadableMessages } from "./unreadable-messages.ts";

/** Removals come first: the counts follow from what remains. */
const CHECKS: readonly Check[] = [
  ...leftovers,
  attached,
  positions,
  ...destinations,
  retired,
  tallies,
  ...unreadable,
  unreadableMessages,
  unreadableAnnouncements,
];

const TABLES = [
  "aliases",
  "recipients",
  "destinations",
  "tallies",
  "events",
  "contacts",
  "blocked_senders",
  "logged_messages",
  "resends",
  "webhooks",
  "announcements",
  "webhook_turns",
] as const;

/** The first account after another one that has a row in any table. */
const NEXT_ACCOUNT = `
  SELECT min(account) AS account FROM (
    ${TABLES.map((table) => `SELECT min(account) AS account FROM ${table} WHERE account > :after`).join(" UNION ALL ")}
  )`;

const inAccounts = (checked: Checked): FindDifferences =>
  differencesByAccount(
    (after) =>
      checked.database.attempt(null, undefined, () => {
        const account = checked.database.sql(NEXT_ACCOUNT).get({ after })?.["account"];
        return ok(typeof account === "string" ? account : null);
      }),
    CHECKS.map((check) => (account) => check(checked, account)),
  );

/** SQLite's own checks come first: in a damaged file nothing can be compared, and nothing may be repaired. */
export const findDifferences = (checked: Checked): FindDifferences =>
  async function* (onAccount) {
    const damage = await damagedFile(checked.database);
    if (damage.isErr()) {
      yield err(damage.error);
      return;
    }
    if (damage.value !== null) {
      yield ok(damage.value);
      return;
    }
    yield* inAccounts(checked)(onAccount);
  };
