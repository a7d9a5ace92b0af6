import { isDeepStrictEqual } from "node:util";
import type { Alias, Conflict, Recipient, Store, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { ArchiveRecord } from "./record.ts";

/** `present`: the very same was there already, so nothing was done. */
export type Imported = "kept" | "present";

/** Why a record was not kept; nothing was changed. */
export type ImportError =
  | { readonly code: "address_taken" }
  /** Something else of this id is there. */
  | { readonly code: "differs" }
  /** Not all recipients of the alias are there, verified and active. */
  | { readonly code: "recipients_ineligible" }
  | Unavailable;

const keepRecipient = async (
  { recipients }: Store,
  recipient: Recipient,
): Promise<Result<Imported, ImportError>> => {
  const created = await recipients.create({ ...recipient, attached: 0 });
  if (created.isOk()) return ok("kept");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await recipients.find(recipient.account, recipient.id);
  if (found.isErr()) return err(found.error);
  if (found.value === null) return err(otherwise(created.error, "differs"));
  const { attached } = found.value;
  return isDeepStrictEqual(found.value, { ...recipient, attached })
    ? ok("present")
    : err({ code: "differs" });
};

const keepAlias = async ({ aliases }: Store, alias: Alias): Promise<Result<Imported, ImportError>> => {
  const created = await aliases.create(alias);
  if (created.isOk()) return ok("kept");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await aliases.findWithRecipients(alias.account, alias.id, []);
  if (found.isErr()) return err(found.error);
  if (found.value.alias === null) return err(otherwise(created.error, "recipients_ineligible"));
  return isDeepStrictEqual(found.value.alias, alias) ? ok("present") : err({ code: "differs" });
};

/** What a refusal means where nothing of the id is there. */
const otherwise = <C extends ImportError["code"]>(
  error: Conflict | { readonly code: "address_taken" },
  conflict: C,
): { readonly code: C | "address_taken" } => ({ code: error.code === "conflict" ? conflict : error.code });

/**
 * Keeps a record in a store, as it is. Safe to repeat: what is there already is `present`. Recipients must come
 * before the aliases that forward to them, as `exportRecords` gives them.
 */
export const importRecord = (store: Store, record: ArchiveRecord): Promise<Result<Imported, ImportError>> =>
  record.kind === "recipient" ? keepRecipient(store, record.recipient) : keepAlias(store, record.alias);
