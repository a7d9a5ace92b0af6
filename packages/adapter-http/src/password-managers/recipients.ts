import { type AnyPostern, err, MAX_PAGE_SIZE, ok, Recipient, type Result } from "@postern/core";
import type { Failure } from "../problems/failure.ts";
import { type Call, perform } from "./call.ts";

/**
 * The recipients that aliases can have, up to 100. None if the key may not read them: without an answer, SimpleLogin's extension would show
 * no aliases either.
 */
export const usableRecipients = async (
  { listRecipients }: AnyPostern,
  { key: { account, scopes } }: Call,
): Promise<Result<readonly Recipient[], Failure>> => {
  if (!scopes.includes("recipients:read")) return ok([]);
  const page = await perform(listRecipients, { account, limit: MAX_PAGE_SIZE });
  if (page.isErr()) return err(page.error);
  return ok(page.value.items.filter((recipient) => Recipient.ineligibility(recipient) === null));
};
