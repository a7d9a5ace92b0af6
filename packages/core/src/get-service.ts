import { ok } from "neverthrow";
import * as z from "zod";
import type { AccountLimits } from "./account/limits.ts";
import type { Timing } from "./operation/deadline.ts";
import { type Operation, operation } from "./operation/operation.ts";
import type { AliasDomains } from "./values/alias-domains.ts";
import { accountId } from "./values/identifiers.ts";
import type { InvalidRequest } from "./values/parse.ts";

const query = z.object({ account: accountId });

export type GetServiceQuery = { readonly account: string };

/** What the service offers to an account, as it is configured. */
export type ServiceOffer = {
  /** The domains whose addresses are aliases. Generated addresses are on the first one by default. */
  readonly aliasDomains: AliasDomains;
  /** Whether events are sent to webhooks. Otherwise none can be created. */
  readonly sendsEvents: boolean;
  /** The base address at which programs use API keys; undefined if they cannot. Otherwise none can be created. */
  readonly keysUrl?: string | undefined;
  /** The limits of the account; 0 means no limit. */
  readonly limits: AccountLimits;
};

/**
 * Returns what the service offers: the domains on which aliases can be created, whether it sends events, and its limits. Reads nothing.
 *
 * @example
 * ```ts
 * const { aliasDomains, limits } = await service.getService({ account });
 * ```
 */
export const getService = ({
  aliasDomains,
  sendsEvents,
  keysUrl,
  limits,
  ...timing
}: Timing & ServiceOffer): Operation<GetServiceQuery, ServiceOffer, InvalidRequest> =>
  operation(timing, query, async () => ok({ aliasDomains, sendsEvents, keysUrl, limits }));
