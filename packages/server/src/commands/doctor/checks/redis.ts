import { checkRedis } from "@postern/adapter-http";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, wrong } from "../check.ts";

const actionOf = (reason: string): string => {
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(reason)) {
    return `Correct the user and the password in ${ENV.redisUrl}; the user needs EVAL, on keys such as postern:*`;
  }
  if (reason === "READONLY") return `Set ${ENV.redisUrl} to the primary: this is a replica`;
  return `Check the host and port in ${ENV.redisUrl} (rediss:// is for TLS), that Redis runs, and the firewall`;
};

const check = async (url: string | undefined): Promise<Found> => {
  if (url === undefined) return fine(`not used: ${ENV.redisUrl} is not set`);
  const host = URL.parse(url)?.host ?? "";
  return (await checkRedis(url)).match(
    () => fine(`${host} responds`),
    ({ reason }) =>
      wrong(
        `${host} cannot be used to count requests (${reason}), so they are not limited`,
        actionOf(reason),
      ),
  );
};

/** Whether requests can be counted. */
export const redis = checkOf({
  names: ["redis"],
  variables: Variables.pick({ redisUrl: true }),
  run: async ({ redisUrl }) => ({ redis: await check(redisUrl) }),
});
