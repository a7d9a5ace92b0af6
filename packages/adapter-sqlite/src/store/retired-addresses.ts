import {
  type AddressTaken,
  EmailAddress,
  err,
  ok,
  type PortResult,
  parseEmailAddress,
  type Result,
} from "@postern/core";
import { type Page, type PageRequest, pageOf } from "@postern/core/store";
import { stored } from "../file/row.ts";
import type { Database } from "./database.ts";

export const isRetired = ({ sql }: Database, email: EmailAddress): boolean =>
  sql("SELECT 1 FROM retired_addresses WHERE address = ?").get(EmailAddress.key(email)) !== undefined;

/** To be called in a transaction. */
export const retireAddress = ({ sql }: Database, email: EmailAddress): Result<void, AddressTaken> => {
  if (sql("SELECT 1 FROM aliases WHERE email = ?").get(email) !== undefined)
    return err({ code: "address_taken" });
  sql("INSERT INTO retired_addresses VALUES (?) ON CONFLICT DO NOTHING").run(EmailAddress.key(email));
  return ok();
};

export const listRetiredAddresses = (
  { sql, attempt }: Database,
  { limit, after }: PageRequest<EmailAddress>,
): PortResult<Page<EmailAddress, EmailAddress>> =>
  attempt(null, undefined, () => {
    const found = sql("SELECT address FROM retired_addresses WHERE address > ? ORDER BY address LIMIT ?").all(
      after ?? "",
      limit + 1,
    );
    const addresses = found.map(({ address }) =>
      stored("retired_addresses", () => parseEmailAddress(address)),
    );
    return ok(pageOf(addresses, limit, (address) => address));
  });
