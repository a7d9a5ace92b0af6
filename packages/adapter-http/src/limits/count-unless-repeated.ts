import { type AccountId, type AnyPostern, err, type TimeLeft } from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Outcome } from "../responses/response.ts";

/** Counts a creation against the limit of creations. Returns the refusal if the limit is exceeded. */
export type CountCreation = () => MaybePromise<Outcome | null>;

/**
 * Counts a creation with an `Idempotency-Key`, whose other input is valid, unless it is a repeat: that creates nothing, and is not refused
 * even if the limit is reached. Returns the refusal if there is one.
 */
export const countUnlessRepeated = async (
  count: CountCreation,
  { hasCreatedWith }: Pick<AnyPostern, "hasCreatedWith">,
  request: FastifyRequest,
  account: AccountId,
  timeLeft: TimeLeft | undefined,
): Promise<Outcome | null> => {
  const query = hasCreatedWith.parse({ account, idempotencyKey: request.headers["idempotency-key"] });
  if (query.isErr()) throw new Error("The route has accepted an Idempotency-Key that is not valid");
  const isRepeat = await hasCreatedWith.run(query.value, timeLeft);
  if (isRepeat.isErr()) return err(isRepeat.error);
  return isRepeat.value ? null : count();
};
