import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { InvalidRequest, RecipientNotFound, Unavailable } from "../../errors.ts";
import type { Recipients } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import { RecipientTarget } from "../shared/change-recipient.ts";
import { parse } from "../shared/parse.ts";

export type GetRecipientQuery = z.input<typeof RecipientTarget>;

export type GetRecipientError = InvalidRequest | RecipientNotFound | Unavailable;

export const getRecipient =
  ({ recipients }: { recipients: Pick<Recipients, "find"> }) =>
  async (input: GetRecipientQuery): Promise<Result<Recipient, GetRecipientError>> => {
    const query = parse(RecipientTarget, input);
    if (query.isErr()) return err(query.error);
    const found = await recipients.find(query.value.account, query.value.recipientId);
    if (found.isErr()) return err(found.error);
    return found.value === null ? err({ code: "recipient_not_found" }) : ok(found.value);
  };
