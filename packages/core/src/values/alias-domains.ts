import type { Result } from "neverthrow";
import * as z from "zod";
import { type Domain, domain, MAX_ADDRESS_LENGTH, MAX_LOCAL_PART_LENGTH } from "./email-address.ts";
import type { NonEmpty } from "./non-empty.ts";
import { type InvalidRequest, parse } from "./parse.ts";

/** The domains whose addresses are aliases. Generated addresses are on the first one by default. */
export type AliasDomains = NonEmpty<Domain>;

/** Leaves room for any local part in an address of the maximum length. */
const MAX_LENGTH = MAX_ADDRESS_LENGTH - 1 - MAX_LOCAL_PART_LENGTH;

const aliasDomains = z
  .array(domain.refine((name) => name.length <= MAX_LENGTH, `must be at most ${MAX_LENGTH} characters`))
  .min(1, "must name at least one domain")
  // Sound because `min(1)` has checked it; zod's type does not reflect that.
  .transform((domains) => [...new Set(domains)] as [Domain, ...Domain[]]);

/** Parses the list of alias domains: at least one domain name, each of at most 189 characters. Repeated ones are left out. */
export const parseAliasDomains = (input: unknown): Result<AliasDomains, InvalidRequest> =>
  parse(aliasDomains, input);
