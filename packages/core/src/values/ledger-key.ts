import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "./brand.ts";
import { type InvalidRequest, parse } from "./parse.ts";

/** A keyed hash (`Secrets.hash`) of the mailbox, or of the account, that an entry is about. */
export type LedgerKey = Brand<string, "LedgerKey">;

export const ledgerKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,128}$/, "must be 16 to 128 characters of base64url")
  .transform((key) => key as LedgerKey);

/** Parses the key of a ledger entry: 16 to 128 characters of base64url. */
export const parseLedgerKey = (input: unknown): Result<LedgerKey, InvalidRequest> => parse(ledgerKey, input);
