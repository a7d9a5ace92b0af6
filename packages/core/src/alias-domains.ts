import { z } from "zod";
import { Domain, EmailAddress } from "./email-address.ts";
import type { NonEmpty } from "./non-empty.ts";

const aliasDomains = z
  .array(Domain)
  .min(1, "must name at least one domain")
  // `min(1)` has just made sure of it; zod does not carry that into the type.
  .transform((domains) => domains as [Domain, ...Domain[]]);

/** The domains whose addresses are aliases; made addresses are on the first one unless told otherwise. */
export type AliasDomains = NonEmpty<Domain>;

export const AliasDomains = Object.assign(aliasDomains, {
  include: (domains: AliasDomains, address: EmailAddress): boolean =>
    domains.some((domain) => domain === EmailAddress.domain(address)),
});
