import { checkRedis } from "@postern/adapter-http";
import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, fine, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";

const NAME = "redis";

const Needed = Variables.pick({ redisUrl: true });

const actionOf = (reason: string): string => {
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(reason)) {
    return `Correct the user and the password in ${ENV.redisUrl}; the user needs EVAL, on keys such as postern:*`;
  }
  if (reason === "READONLY") return `Set ${ENV.redisUrl} to the primary: this is a replica`;
  return `Check the host and port in ${ENV.redisUrl} (rediss:// is for TLS), that Redis runs, and the firewall`;
};

/** Whether requests can be counted. */
export const redis: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    const { redisUrl: url } = read.value;
    if (url === undefined) return [fine(NAME, `not used: ${ENV.redisUrl} is not set`)];
    const host = URL.parse(url)?.host ?? "";
    const checked = await checkRedis(url);
    if (checked.isOk()) return [fine(NAME, `${host} responds`)];
    const { reason } = checked.error;
    return [
      wrong(
        NAME,
        `${host} cannot be used to count requests (${reason}), so they are not limited`,
        actionOf(reason),
      ),
    ];
  },
};
