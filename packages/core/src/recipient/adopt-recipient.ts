import * as z from "zod";
import type { AccountLimits } from "../account/limits.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { RetryPorts } from "../operation/retry-on-conflict.ts";
import type { Ids } from "../ports/ids.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";
import { type StoreRecipientError, storeRecipient } from "./store-recipient.ts";

const command = z.object({ account: accountId, email: emailAddress });

export type AdoptRecipientCommand = { readonly account: string; readonly email: string };

export type AdoptRecipientError = InvalidRequest | StoreRecipientError;

/**
 * Adds a recipient that is already verified, without sending a message: for an address whose owner your application has
 * verified itself, such as the one an account signed up with. Never call it with an unverified address that a user typed
 * in: mail could be forwarded to a stranger.
 *
 * @example
 * ```ts
 * const home = await service.adoptRecipient({ account, email: user.verifiedEmail });
 * ```
 */
export const adoptRecipient = (
  ports: RetryPorts & {
    readonly recipients: Pick<Recipients, "create">;
    readonly ids: Pick<Ids, "recipient">;
    readonly secrets: Pick<Secrets, "nonce">;
    readonly aliasDomains: AliasDomains;
    readonly limits: AccountLimits;
  },
): Operation<AdoptRecipientCommand, Recipient, AdoptRecipientError> =>
  operation(ports, command, (identity, timeLeft) =>
    storeRecipient(ports, timeLeft, identity, Recipient.adopt),
  );
