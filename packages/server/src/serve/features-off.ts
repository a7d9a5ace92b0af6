import type { Configuration } from "../configuration/configuration.ts";

/** What this configuration leaves or turns off, for the operator. */
export const featuresOff = ({
  identity,
  mailPlane,
  webhooks,
  keys,
  webPort,
  metricsPort,
  accessLog,
  redisUrl,
  rateLimit,
  creationLimit,
  limits,
}: Configuration): readonly string[] => {
  const off: Readonly<Record<string, boolean>> = {
    API: identity === null,
    "receiving and forwarding mail": mailPlane === undefined,
    webhooks: !webhooks,
    keys: keys === undefined,
    "browser app": webPort === undefined,
    metrics: metricsPort === undefined,
    "access log": !accessLog,
    "rate limits shared over Redis": redisUrl === undefined,
    "rate limit": rateLimit === 0,
    "creation limit": creationLimit === 0,
    "limit of aliases": limits.aliases === 0,
    "limit of recipients": limits.recipients === 0,
    "limit of unverified recipients": limits.unverifiedRecipients === 0,
    "limit of contacts": limits.contacts === 0,
    "limit of blocked senders": limits.blockedSenders === 0,
    "limit of verification messages": limits.verificationMessages === 0,
  };
  return Object.keys(off).filter((name) => off[name]);
};
