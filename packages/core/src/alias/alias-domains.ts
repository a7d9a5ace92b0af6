import { z } from "zod";
import { Domain } from "../values/email-address.ts";
import type { NonEmpty } from "../values/non-empty.ts";

/** So that any local part, of up to 64 characters, still makes an address of at most 254. */
const LONGEST = 254 - 1 - 64;

/** The domains whose addresses are aliases; made addresses are on the first one unless told otherwise. */
export const AliasDomains = z
  .array(Domain.refine((domain) => domain.length <= LONGEST, `must be at most ${LONGEST} characters`))
  .min(1, "must name at least one domain")
  // `min(1)` has just made sure of it; zod does not carry that into the type.
  .transform((domains) => domains as [Domain, ...Domain[]]);
export type AliasDomains = NonEmpty<Domain>;
