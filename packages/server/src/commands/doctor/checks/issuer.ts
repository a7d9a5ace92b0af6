import { checkIssuer } from "@postern/adapter-http";
import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import type { Check } from "../check.ts";
import { skipped } from "../skipped.ts";
import { CLOCK, clock } from "./clock.ts";
import { ISSUER_KEYS, issuerKeys } from "./issuer-keys.ts";
import { ISSUER, issuerName } from "./issuer-name.ts";

const Needed = Variables.pick({ issuer: true, jwksUri: true, authorizer: true });

const NAMES = [ISSUER_KEYS, ISSUER, CLOCK] as const;

/** What the issuer of tokens publishes, and its clock. */
export const issuer: Check = {
  names: NAMES,
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped(NAMES, read.error);
    const { issuer: configured, jwksUri, authorizer: by } = read.value;
    const report = await checkIssuer({ issuer: configured, ...(jwksUri !== undefined && { jwksUri }) });
    return [
      issuerKeys(report, by),
      issuerName(report, configured, { by, keysElsewhere: jwksUri !== undefined }),
      clock(report),
    ];
  },
};
