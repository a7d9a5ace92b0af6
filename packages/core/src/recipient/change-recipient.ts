import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Conflict, RecipientNotFound, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import { accountId, recipientId } from "../values/identifiers.ts";
import type { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

/** Names the recipient that a command or query is about. */
export type RecipientTarget = { readonly account: string; readonly recipientId: string };

export const recipientTarget = z.object({ account: accountId, recipientId });

export type ChangeRecipientPorts = RetryPorts & { readonly recipients: Pick<Recipients, "find" | "save"> };

export type ChangeRecipientError = RecipientNotFound | Unavailable;

/** Loads the recipient, decides, and saves, retried on conflict, as `changeAlias` does. */
export const changeRecipient = <E extends { readonly code: string }>(
  { recipients, ...retry }: ChangeRecipientPorts,
  timeLeft: TimeLeft,
  { account, recipientId }: z.output<typeof recipientTarget>,
  decide: (recipient: Recipient, now: number) => Result<Recipient, E>,
): Promise<Result<Recipient, E | ChangeRecipientError>> =>
  retryOnConflict(
    retry,
    timeLeft,
    async (): Promise<Result<Recipient, E | ChangeRecipientError | Conflict>> => {
      const found = await recipients.find(account, recipientId, timeLeft());
      if (found.isErr()) return err(found.error);
      const recipient = found.value;
      if (recipient === null) return err({ code: "recipient_not_found" });
      const decided = decide(recipient, retry.clock.now());
      if (decided.isErr()) return err(decided.error);
      if (decided.value === recipient) return ok(recipient);
      const saved = await recipients.save(recipient, decided.value, timeLeft());
      return saved.map(() => decided.value);
    },
  );
