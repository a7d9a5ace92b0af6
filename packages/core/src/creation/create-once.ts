import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { AlreadyCreated, IdempotencyKeyReused, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { AccountId } from "../values/identifiers.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import { CREATION_RETENTION, type Creation, type Once } from "./creation.ts";
import type { Creations } from "./creations.ts";

/** Visible characters are those of RFC 5234 (`VCHAR`): the space is not one. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters");

export const creationKey = (secrets: Pick<Secrets, "hash">, account: AccountId, key: string): LedgerKey =>
  secrets.hash(`creation:${JSON.stringify([account, key])}`);

export const isRemembered = ({ expiresAt }: Creation, now: number): boolean => now < expiresAt;

/** Only if the account was erased at the same time. */
const FORGOTTEN: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "what was created was forgotten at the same time" },
};

const isAlreadyCreated = (error: { readonly code: string }): error is AlreadyCreated =>
  error.code === "already_created";

/** The failure of creating something, when nothing is left of what was created with its key. */
export const unlessCreated = <E extends { readonly code: string }>(
  error: E | AlreadyCreated,
): E | Unavailable => (isAlreadyCreated(error) ? FORGOTTEN : error);

/**
 * Creates something unless the account has already done so with this key. After any refusal, which can be due to the first creation, looks
 * for what that one created: so a repeat costs the usual case nothing, and even a concurrent one gets the same result.
 *
 * @param request.asked what is asked for, as parsed: a list that JSON can express
 * @param request.retention for how long it is remembered, in milliseconds; 24 hours by default
 * @param create gets null if there is no key
 * @param found the result for something that was created earlier, by the same request or by one of another kind
 */
export const createOnce = async <T, E extends { readonly code: string }, F>(
  {
    creations,
    secrets,
    clock,
  }: {
    readonly creations: Pick<Creations, "find">;
    readonly secrets: Pick<Secrets, "hash">;
    readonly clock: Pick<Clock, "now">;
  },
  timeLeft: TimeLeft,
  {
    account,
    key,
    asked,
    retention = CREATION_RETENTION,
  }: {
    readonly account: AccountId;
    readonly key: string | undefined;
    readonly asked: readonly unknown[];
    readonly retention?: number;
  },
  create: (once: Once | null) => Promise<Result<T, E | AlreadyCreated | Unavailable>>,
  found: (creation: Creation) => Promise<Result<T, F>>,
): Promise<Result<T, E | F | IdempotencyKeyReused | Unavailable>> => {
  const begun = clock.now();
  const once: Once | null =
    key === undefined
      ? null
      : {
          account,
          key: creationKey(secrets, account, key),
          fingerprint: secrets.hash(`created:${JSON.stringify([account, ...asked])}`),
          retention,
        };
  const created = await create(once);
  if (created.isOk()) return ok(created.value);
  const { error } = created;
  const refusal = unlessCreated<E | Unavailable>(error);
  if (once === null || error.code === "unavailable") return err(refusal);
  const earlier = await creations.find(account, once.key, timeLeft());
  if (earlier.isErr()) return err(earlier.error);
  if (earlier.value === null || !isRemembered(earlier.value, begun)) return err(refusal);
  return earlier.value.fingerprint === once.fingerprint
    ? found(earlier.value)
    : err({ code: "idempotency_key_reused" });
};
