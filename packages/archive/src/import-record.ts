import { isDeepStrictEqual } from "node:util";
import {
  type AddressTaken,
  type Alias,
  type Conflict,
  type EmailAddress,
  err,
  ok,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import type { ArchivedRecipient, ArchiveRecord } from "./record.ts";

/** `present`: the same record was already stored, and nothing changed. */
export type Imported = "stored" | "present";

/** Why a record was not stored. Except possibly after `unavailable`, nothing changed. */
export type ImportError =
  | AddressTaken
  /** A different record has the same id. */
  | { readonly code: "differs" }
  /** Some recipients of the alias are not in the store, or are not verified and active. */
  | { readonly code: "recipients_ineligible" }
  | Unavailable;

/** What a refusal means if no record with the id is stored. */
const refusal = <C extends ImportError["code"]>(
  error: Conflict | AddressTaken,
  conflict: C,
): { readonly code: C | "address_taken" } => ({ code: error.code === "conflict" ? conflict : error.code });

const importRecipient = async (
  { recipients }: Store,
  recipient: ArchivedRecipient,
): Promise<Result<Imported, ImportError>> => {
  const created = await recipients.create({ ...recipient, attached: 0 });
  if (created.isOk()) return ok("stored");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await recipients.find(recipient.account, recipient.id);
  if (found.isErr()) return err(found.error);
  if (found.value === null) return err(refusal(created.error, "differs"));
  const { attached } = found.value;
  return isDeepStrictEqual(found.value, { ...recipient, attached })
    ? ok("present")
    : err({ code: "differs" });
};

const importAlias = async ({ aliases }: Store, alias: Alias): Promise<Result<Imported, ImportError>> => {
  const created = await aliases.create(alias);
  if (created.isOk()) return ok("stored");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await aliases.findWithRecipients(alias.account, alias.id, []);
  if (found.isErr()) return err(found.error);
  if (found.value.alias === null) return err(refusal(created.error, "recipients_ineligible"));
  return isDeepStrictEqual(found.value.alias, alias) ? ok("present") : err({ code: "differs" });
};

const importRetiredAddress = async (
  { aliases }: Store,
  email: EmailAddress,
): Promise<Result<Imported, ImportError>> => {
  const retired = await aliases.retireAddress(email);
  return retired.map(() => "stored");
};

/**
 * Stores a record without changing it. Idempotent: importing a stored record again returns `present` (for a retired
 * address `stored`). Recipients must be imported before the aliases that forward to them; `exportRecords` returns them
 * in that order.
 *
 * @example
 * ```ts
 * const record = readRecord(line);
 * if (record.isOk()) await importRecord(store, record.value);
 * ```
 */
export const importRecord = (store: Store, record: ArchiveRecord): Promise<Result<Imported, ImportError>> => {
  switch (record.kind) {
    case "recipient":
      return importRecipient(store, record.recipient);
    case "alias":
      return importAlias(store, record.alias);
    case "retired_address":
      return importRetiredAddress(store, record.email);
  }
};
