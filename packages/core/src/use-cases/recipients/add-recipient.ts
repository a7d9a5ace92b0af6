import { err, ok } from "neverthrow";
import * as z from "zod";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import type { AddressNotAllowed, AddressTaken, Unavailable } from "../../errors.ts";
import type { Ids, Recipients, Secrets, VerificationMail } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { emailAddress } from "../../values/email-address.ts";
import { accountId } from "../../values/identifiers.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import { type Operation, operation } from "../shared/operation.ts";
import type { RetryPorts } from "../shared/retry-on-conflict.ts";
import { sendVerification, type VerificationSent } from "../shared/send-verification.ts";
import { storeRecipient } from "../shared/store-recipient.ts";

const command = z.object({ account: accountId, email: emailAddress });

export type AddRecipientCommand = { readonly account: string; readonly email: string };

export type AddRecipientError = InvalidRequest | AddressNotAllowed | AddressTaken | Unavailable;

export type RecipientAdded = { readonly recipient: Recipient; readonly verification: VerificationSent };

/**
 * Adds an unverified recipient and sends it a verification link. The recipient is stored even if the message could not be
 * sent: `verification` says so, and `resendVerification` tries again.
 *
 * @example
 * ```ts
 * const added = await service.addRecipient({ account, email: "me@home.example" });
 * ```
 */
export const addRecipient = ({
  secrets,
  verificationMail,
  ...ports
}: RetryPorts & {
  readonly recipients: Pick<Recipients, "create">;
  readonly ids: Pick<Ids, "recipient">;
  readonly secrets: Pick<Secrets, "nonce" | "seal">;
  readonly verificationMail: VerificationMail;
  readonly aliasDomains: AliasDomains;
}): Operation<AddRecipientCommand, RecipientAdded, AddRecipientError> =>
  operation(command, async (identity) => {
    const added = await storeRecipient({ ...ports, secrets }, identity, Recipient.add);
    if (added.isErr()) return err(added.error);
    const recipient = added.value;
    return ok({ recipient, verification: await sendVerification({ secrets, verificationMail }, recipient) });
  });
