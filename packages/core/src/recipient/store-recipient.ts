import { err, type Result } from "neverthrow";
import type { AccountLimits } from "../account/limits.ts";
import type {
  AddressNotAllowed,
  AddressTaken,
  Conflict,
  TooManyRecipients,
  TooManyUnverifiedRecipients,
  Unavailable,
} from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { Ids } from "../ports/ids.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { EmailAddress } from "../values/email-address.ts";
import type { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

export type StoreRecipientError =
  | AddressNotAllowed
  | AddressTaken
  | TooManyRecipients
  | TooManyUnverifiedRecipients
  | Unavailable;

/** Stores the new recipient that `create` makes. Refuses addresses on an alias domain: mail would loop. */
export const storeRecipient = async (
  {
    recipients,
    ids,
    secrets,
    aliasDomains,
    limits,
    ...retry
  }: RetryPorts & {
    readonly recipients: Pick<Recipients, "create">;
    readonly ids: Pick<Ids, "recipient">;
    readonly secrets: Pick<Secrets, "nonce">;
    readonly aliasDomains: AliasDomains;
    readonly limits: AccountLimits;
  },
  timeLeft: TimeLeft,
  { account, email }: Pick<Recipient, "account" | "email">,
  create: typeof Recipient.add,
): Promise<Result<Recipient, StoreRecipientError>> => {
  if (aliasDomains.includes(EmailAddress.domain(email))) {
    return err({ code: "address_not_allowed", reason: "is_an_alias_domain" });
  }
  return retryOnConflict(
    retry,
    timeLeft,
    async (): Promise<Result<Recipient, StoreRecipientError | Conflict>> => {
      const identity = { id: ids.recipient(), account, email, nonce: secrets.nonce() };
      const recipient = create(identity, retry.clock.now());
      const stored = await recipients.create(recipient, limits, timeLeft());
      return stored.map(() => recipient);
    },
  );
};
