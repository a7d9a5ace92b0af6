import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Conflict, LinkInvalid, Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";
import { verificationToken } from "./verification-token.ts";

const command = z.object({ token: verificationToken });

/** `token` is from the link in the verification message. */
export type VerifyRecipientCommand = { readonly token: string };

export type VerifyRecipientError = InvalidRequest | LinkInvalid | Unavailable;

/**
 * Marks the link's recipient as verified. Needs no account: possession of the link proves access to the mailbox.
 * Idempotent.
 *
 * @example
 * ```ts
 * const verified = await service.verifyRecipient({ token });
 * ```
 */
export const verifyRecipient = ({
  recipients,
  secrets,
  ...retry
}: RetryPorts & {
  readonly recipients: Pick<Recipients, "find" | "save">;
  readonly secrets: Pick<Secrets, "open">;
}): Operation<VerifyRecipientCommand, Recipient, VerifyRecipientError> =>
  operation(retry, command, async ({ token }, timeLeft) => {
    const claims = secrets.open(token);
    if (claims === null) return err({ code: "link_invalid" });

    type Failure = LinkInvalid | Unavailable;
    return retryOnConflict(retry, timeLeft, async (): Promise<Result<Recipient, Failure | Conflict>> => {
      const now = retry.clock.now();
      if (claims.expiresAt <= now) return err({ code: "link_invalid" });
      const found = await recipients.find(claims.account, claims.recipientId, timeLeft());
      if (found.isErr()) return err(found.error);
      const recipient = found.value;
      if (recipient?.nonce !== claims.nonce) return err({ code: "link_invalid" });
      const verified = Recipient.verify(recipient, now);
      if (verified === recipient) return ok(recipient);
      const saved = await recipients.save(recipient, verified, timeLeft());
      return saved.map(() => verified);
    });
  });
