import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { InvalidRequest, LinkInvalid, Unavailable } from "../../errors.ts";
import type { Clock, Recipients, Secrets } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { parse } from "../shared/parse.ts";
import { whileContended } from "../shared/retry-on-conflict.ts";

const Command = z.object({ token: z.string().min(1).max(512) });
export type VerifyRecipientCommand = z.input<typeof Command>;

export type VerifyRecipientError = InvalidRequest | LinkInvalid | Unavailable;

/**
 * Marks the recipient whose link this is as verified. Needs no account: who holds the link reads that
 * mailbox. Doing it again succeeds and changes nothing.
 */
export const verifyRecipient =
  ({
    recipients,
    clock,
    secrets,
  }: {
    recipients: Pick<Recipients, "find" | "save">;
    clock: Clock;
    secrets: Pick<Secrets, "open">;
  }) =>
  async (input: VerifyRecipientCommand): Promise<Result<Recipient, VerifyRecipientError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const claims = secrets.open(command.value.token);
    if (claims === null) return err({ code: "link_invalid" });

    return whileContended(clock, async () => {
      const now = clock.now();
      if (claims.expiresAt <= now) return err({ code: "link_invalid" });
      const found = await recipients.find(claims.account, claims.recipientId);
      if (found.isErr()) return err(found.error);
      const recipient = found.value;
      if (recipient?.nonce !== claims.nonce) return err({ code: "link_invalid" });
      const verified = Recipient.verify(recipient, now);
      if (verified === recipient) return ok(recipient);
      const saved = await recipients.save(recipient, verified);
      return saved.map(() => verified);
    });
  };
