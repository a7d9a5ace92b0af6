import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { Conflict, RecipientNotFound, Unavailable } from "../../errors.ts";
import type { Clock, Recipients } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import { AccountId, RecipientId } from "../../values/identifiers.ts";
import { whileContended } from "./retry-on-conflict.ts";

export const RecipientTarget = z.object({ account: AccountId, recipientId: RecipientId });
type RecipientTarget = z.output<typeof RecipientTarget>;

export type ChangeRecipientError = RecipientNotFound | Unavailable;

/** Loads the recipient, decides and saves, again whenever somebody else's save came first, as `changeAlias` does. */
export const changeRecipient = <E extends { readonly code: string }>(
  { recipients, clock }: { recipients: Pick<Recipients, "find" | "save">; clock: Clock },
  { account, recipientId }: RecipientTarget,
  decide: (recipient: Recipient, now: number) => Result<Recipient, E>,
): Promise<Result<Recipient, E | ChangeRecipientError>> =>
  whileContended(clock, async (): Promise<Result<Recipient, E | ChangeRecipientError | Conflict>> => {
    const found = await recipients.find(account, recipientId);
    if (found.isErr()) return err(found.error);
    const recipient = found.value;
    if (recipient === null) return err({ code: "recipient_not_found" });
    const decided = decide(recipient, clock.now());
    if (decided.isErr()) return err(decided.error);
    if (decided.value === recipient) return ok(recipient);
    const saved = await recipients.save(recipient, decided.value);
    return saved.map(() => decided.value);
  });
