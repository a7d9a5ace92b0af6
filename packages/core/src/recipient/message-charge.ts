import { err, ok, type Result } from "neverthrow";
import type { AccountLimits } from "../account/limits.ts";
import type { Conflict, MailboxSuppressed, RateLimited, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import type { Secrets } from "../ports/secrets.ts";
import { EmailAddress } from "../values/email-address.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import { dailyLimit, LedgerEntry, MAILBOX_LIMITS } from "./ledger-entry.ts";
import type { MailLedger } from "./mail-ledger.ts";
import type { Recipient } from "./recipient.ts";

export type LedgerPorts = RetryPorts & {
  readonly mailLedger: Pick<MailLedger, "find" | "save">;
  readonly onUnreported?: OnUnreported | undefined;
};

/** A message that was charged to the entries of `keys`, including its mailbox's entry, at a time in epoch milliseconds. */
export type MessageCharge = {
  readonly mailbox: LedgerKey;
  readonly keys: readonly LedgerKey[];
  readonly at: number;
};

export const mailboxKey = (secrets: Pick<Secrets, "hash">, email: EmailAddress): LedgerKey =>
  secrets.hash(`mailbox:${EmailAddress.mailbox(email)}`);

/** Loads the entries, changes them and saves those that changed; retried on conflict. */
const changeEntries = <E extends { readonly code: string }>(
  { mailLedger, ...retry }: LedgerPorts,
  timeLeft: TimeLeft,
  keys: readonly LedgerKey[],
  change: (entry: LedgerEntry) => Result<LedgerEntry, E>,
): Promise<Result<void, E | Unavailable>> =>
  retryOnConflict(retry, timeLeft, async (): Promise<Result<void, E | Unavailable | Conflict>> => {
    const found = await mailLedger.find(keys, timeLeft());
    if (found.isErr()) return err(found.error);
    const entries = keys.map(
      (key) => found.value.find((entry) => entry.key === key) ?? LedgerEntry.none(key),
    );
    const changed: LedgerEntry[] = [];
    for (const entry of entries) {
      const after = change(entry);
      if (after.isErr()) return err(after.error);
      if (after.value !== entry) changed.push(after.value);
    }
    return isNonEmpty(changed) ? mailLedger.save(changed, timeLeft()) : ok();
  });

/** Charges a verification message to the recipient's mailbox and account, unless a limit of either is reached. */
export const chargeMessage = async (
  {
    secrets,
    limits,
    ...ports
  }: LedgerPorts & { readonly secrets: Pick<Secrets, "hash">; readonly limits: AccountLimits },
  timeLeft: TimeLeft,
  { account, email }: Pick<Recipient, "account" | "email">,
): Promise<Result<MessageCharge, RateLimited | MailboxSuppressed | Unavailable>> => {
  const mailbox = mailboxKey(secrets, email);
  const keys = limits.verificationMessages === 0 ? [mailbox] : [mailbox, secrets.hash(`account:${account}`)];
  const at = ports.clock.now();
  const charged = await changeEntries(ports, timeLeft, keys, (entry) =>
    LedgerEntry.charge(
      entry,
      entry.key === mailbox ? MAILBOX_LIMITS : dailyLimit(limits.verificationMessages),
      at,
    ),
  );
  return charged.map(() => ({ mailbox, keys, at }));
};

/** Takes back a charge. If this fails, the message stays charged, which errs on the side of sending less. */
export const refundMessage = async (
  ports: LedgerPorts,
  timeLeft: TimeLeft,
  { keys, at }: MessageCharge,
): Promise<void> => {
  const refunded = await changeEntries(ports, timeLeft, keys, (entry) => ok(LedgerEntry.refund(entry, at)));
  if (refunded.isErr()) ports.onUnreported?.(refunded.error);
};

/** Stops all further verification messages to the mailbox. */
export const suppress = (
  ports: LedgerPorts,
  timeLeft: TimeLeft,
  mailbox: LedgerKey,
): Promise<Result<void, Unavailable>> => {
  const now = ports.clock.now();
  return changeEntries(ports, timeLeft, [mailbox], (entry) => ok(LedgerEntry.suppress(entry, now)));
};

/** Allows verification messages to a suppressed mailbox again. */
export const release = async (
  ports: LedgerPorts,
  timeLeft: TimeLeft,
  mailbox: LedgerKey,
): Promise<Result<"released" | "not_suppressed", Unavailable>> => {
  const now = ports.clock.now();
  let released = false;
  const changed = await changeEntries(ports, timeLeft, [mailbox], (entry) => {
    released = entry.suppressedAt !== null;
    return ok(LedgerEntry.release(entry, MAILBOX_LIMITS, now));
  });
  return changed.map(() => (released ? "released" : "not_suppressed"));
};
