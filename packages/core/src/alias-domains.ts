import { z } from "zod";
import { Domain, EmailAddress } from "./email-address.ts";

/** The domains whose addresses are aliases. At least one. */
export const AliasDomains = Object.assign(
  z.array(Domain).min(1, "must name at least one domain").readonly(),
  {
    include: (domains: AliasDomains, address: EmailAddress): boolean =>
      domains.some((domain) => domain === EmailAddress.domain(address)),
  },
);
export type AliasDomains = z.output<typeof AliasDomains>;
