import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import type { AddressNotAllowed, AddressTaken, InvalidRequest, Unavailable } from "../../errors.ts";
import type { Clock, Ids, Recipients, Secrets, VerificationMail } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { EmailAddress } from "../../values/email-address.ts";
import { AccountId } from "../../values/identifiers.ts";
import { parse } from "../shared/parse.ts";
import { whileContended } from "../shared/retry-on-conflict.ts";
import { sendVerification, type VerificationSent } from "../shared/send-verification.ts";

const Command = z.object({ account: AccountId, email: EmailAddress });
export type AddRecipientCommand = z.input<typeof Command>;

export type AddRecipientError = InvalidRequest | AddressNotAllowed | AddressTaken | Unavailable;

export type RecipientAdded = { readonly recipient: Recipient; readonly verification: VerificationSent };

/**
 * Keeps a new, unverified recipient and sends it a verification link. The recipient is kept even when the
 * message could not be sent: `verification` says so.
 */
export const addRecipient =
  ({
    recipients,
    clock,
    ids,
    secrets,
    verificationMail,
    aliasDomains,
  }: {
    recipients: Pick<Recipients, "create">;
    clock: Clock;
    ids: Pick<Ids, "recipient">;
    secrets: Secrets;
    verificationMail: VerificationMail;
    aliasDomains: AliasDomains;
  }) =>
  async (input: AddRecipientCommand): Promise<Result<RecipientAdded, AddRecipientError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { account, email } = command.value;
    // Forwarding to an alias would send mail in a circle.
    if (aliasDomains.includes(EmailAddress.domain(email))) {
      return err({ code: "address_not_allowed", reason: "is_an_alias_domain" });
    }
    const added = await whileContended(clock, async () => {
      const identity = { id: ids.recipient(), account, email, nonce: secrets.nonce() };
      const recipient = Recipient.add(identity, clock.now());
      const kept = await recipients.create(recipient);
      return kept.map(() => recipient);
    });
    if (added.isErr()) return err(added.error);
    const recipient = added.value;
    return ok({ recipient, verification: await sendVerification({ secrets, verificationMail }, recipient) });
  };
