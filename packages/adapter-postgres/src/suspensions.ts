import { ok } from "@postern/core";
import type { Suspensions } from "@postern/core/store";
import type { Database } from "./database.ts";
import { numberIn } from "./row.ts";
import { query, statement } from "./statement.ts";

const FIND = statement("find_suspension", "SELECT since FROM suspensions WHERE account = $1");

const SUSPEND = statement(
  "suspend",
  `INSERT INTO suspensions AS s (account, since) VALUES ($1, $2)
  ON CONFLICT (account) DO UPDATE SET since = least(s.since, excluded.since)`,
);

const RESUME = statement("resume", "DELETE FROM suspensions WHERE account = $1");

export const postgresSuspensions = ({ run }: Database): Suspensions => ({
  find: (account, timeLeft) =>
    run(timeLeft, query(FIND, account), ([row]) =>
      ok(row === undefined ? null : numberIn("suspensions", row["since"])),
    ),

  suspend: (account, at, timeLeft) => run(timeLeft, query(SUSPEND, account, at), () => ok()),

  resume: (account, timeLeft) => run(timeLeft, query(RESUME, account), () => ok()),
});
