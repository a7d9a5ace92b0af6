import { type AddressTaken, EmailAddress, err, ok, type PortResult, parseEmailAddress } from "@postern/core";
import { type Page, type PageRequest, pageOf } from "@postern/core/store";
import type { Database } from "./database.ts";
import { stored } from "./row.ts";
import { query, statement } from "./statement.ts";

/** Writes the row even if the address is taken or retired, so that it waits for, and sees, a concurrent transaction. */
const RETIRE = statement(
  "retire_address",
  `INSERT INTO addresses (key) VALUES ($1) ON CONFLICT (key) DO UPDATE SET key = excluded.key
  RETURNING account IS NULL AS retired`,
);

const FIND = statement("find_retired_address", "SELECT 1 FROM addresses WHERE key = $1 AND account IS NULL");

const LIST = statement(
  "list_retired_addresses",
  "SELECT key FROM addresses WHERE account IS NULL AND key > $1 ORDER BY key LIMIT $2",
);

export const retireAddress = ({ run }: Database, email: EmailAddress): PortResult<void, AddressTaken> =>
  run<void, AddressTaken>(undefined, query(RETIRE, EmailAddress.key(email)), ([row]) =>
    row?.["retired"] === true ? ok() : err({ code: "address_taken" }),
  );

export const isRetired = (
  { run }: Database,
  email: EmailAddress,
  timeLeft: number | undefined,
): PortResult<boolean> => run(timeLeft, query(FIND, EmailAddress.key(email)), (rows) => ok(rows.length > 0));

export const listRetiredAddresses = (
  { run }: Database,
  { limit, after }: PageRequest<EmailAddress>,
): PortResult<Page<EmailAddress, EmailAddress>> =>
  run(undefined, query(LIST, after ?? "", limit + 1), (rows) => {
    const found = rows.map(({ key }) => stored("addresses", parseEmailAddress, key));
    return ok(pageOf(found, limit, (address) => address));
  });
