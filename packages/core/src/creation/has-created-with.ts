import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Secrets } from "../ports/secrets.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { creationKey, idempotencyKey, isRemembered } from "./create-once.ts";
import type { Creations } from "./creations.ts";

const query = z.object({ account: accountId, idempotencyKey });

export type HasCreatedWithQuery = { readonly account: string; readonly idempotencyKey: string };

/**
 * Whether the account has created something with this idempotency key in the last 24 hours. If so, creating with it creates nothing more.
 * For programs that limit how much an account creates in a given time: a repeat should not count.
 *
 * @example
 * ```ts
 * const isRepeat = await service.hasCreatedWith({ account, idempotencyKey });
 * ```
 */
export const hasCreatedWith = ({
  creations,
  secrets,
  ...timing
}: Timing & {
  readonly creations: Pick<Creations, "find">;
  readonly secrets: Pick<Secrets, "hash">;
}): Operation<HasCreatedWithQuery, boolean, InvalidRequest | Unavailable> =>
  operation(timing, query, async ({ account, idempotencyKey: key }, timeLeft) => {
    const now = timing.clock.now();
    const found = await creations.find(account, creationKey(secrets, account, key), timeLeft());
    return found.map((creation) => creation !== null && isRemembered(creation, now));
  });
