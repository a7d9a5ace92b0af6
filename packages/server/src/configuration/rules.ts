import { EmailAddress } from "@postern/core";
import type * as z from "zod";
import { ENV, fileVariable, type Key } from "./names.ts";
import { parseSesUrl } from "./ses-url.ts";
import { isSecret, type StoreVariables, type Variables } from "./variables.ts";
import { webUrlOf } from "./web-app.ts";

/** What makes the variable `of` wrong if it and those in `given` are valid. The problem continues a sentence that starts with its name. */
type Rule<Values> = {
  readonly of: Key;
  readonly given: readonly Key[];
  readonly problem: string;
  breaks(values: Values): boolean;
};

type StoreValues = z.output<typeof StoreVariables>;
type Values = z.output<typeof Variables>;

/** A secret can be in a file instead. */
export const required = (key: Key): string =>
  isSecret(key) ? `is required, or ${fileVariable(ENV[key])}` : "is required";

const requiredWith = (of: keyof Values, other: keyof Values): Rule<Values> => ({
  of,
  given: [],
  problem: `is required with ${ENV[other]}`,
  breaks: (values) => values[other] !== undefined && values[of] === undefined,
});

type Relays = Pick<Values, "relayUrl" | "smtpUrl">;

const needsRelay: Rule<Relays> = {
  of: "relayUrl",
  given: ["smtpUrl"],
  problem: `is required, because SES (${ENV.smtpUrl}) sends verification mail only`,
  breaks: ({ relayUrl, smtpUrl }) => relayUrl === undefined && parseSesUrl(smtpUrl) !== null,
};

type Host = "host" | "mxHost" | "metricsHost" | "webHost";
type Port = "port" | "mxPort" | "keysPort" | "metricsPort" | "webPort";

const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Two listeners cannot share a port on the same address. */
const apart = (host: Host, port: Port, otherHost: Host, otherPort: Port): Rule<Values> => ({
  of: port,
  given: [host, otherHost, otherPort],
  problem: `is the same as ${ENV[otherPort]}: set a different one`,
  breaks: (values) => {
    const hosts = [values[host], values[otherHost]];
    const isSamePort = values[port] === values[otherPort] && values[port] !== 0 && values[port] !== undefined;
    return isSamePort && (hosts[0] === hosts[1] || hosts.some(isEveryAddress));
  },
});

const STORE_RULES: readonly Rule<StoreValues>[] = [
  {
    of: "postgresUrl",
    given: ["store"],
    problem: required("postgresUrl"),
    breaks: ({ store, postgresUrl }) => store === "postgres" && postgresUrl === undefined,
  },
];

const requiredForTokens = (of: "issuer" | "audience"): Rule<Values> => ({
  of,
  given: ["authorizer"],
  problem: required(of),
  breaks: (values) => values.authorizer !== "none" && values[of] === undefined,
});

/** Nobody could sign in. */
const requiresTokens = (of: "webPort" | "webUrl"): Rule<Values> => ({
  of,
  given: ["authorizer"],
  problem: `cannot be used while ${ENV.authorizer} is none: nobody could sign in to the app`,
  breaks: (values) => values.authorizer === "none" && values[of] !== undefined,
});

const RULES: readonly Rule<Values>[] = [
  ...STORE_RULES,
  {
    of: "gatewaySecret",
    given: ["authorizer"],
    problem: required("gatewaySecret"),
    breaks: ({ authorizer, gatewaySecret }) => authorizer === "gateway" && gatewaySecret === undefined,
  },
  requiredForTokens("issuer"),
  requiredForTokens("audience"),
  {
    ...needsRelay,
    breaks: (values) => values.mxPort !== undefined && needsRelay.breaks(values),
  },
  requiredWith("mxName", "mxPort"),
  requiredWith("postmaster", "mxPort"),
  requiredWith("dkimKey", "mxPort"),
  requiredWith("dkimSelector", "mxPort"),
  requiredWith("spoolTable", "mailBucket"),
  requiredWith("mxName", "mailBucket"),
  requiredWith("postmaster", "mailBucket"),
  requiredWith("keysUrl", "keysPort"),
  requiredWith("keysPort", "keysUrl"),
  requiresTokens("webPort"),
  requiresTokens("webUrl"),
  {
    of: "webUrl",
    given: ["webPort", "webHost"],
    problem: `is required with ${ENV.webPort}, unless ${ENV.webHost} is a loopback address and the port is not 0`,
    breaks: (values) => values.webPort !== undefined && webUrlOf(values) === undefined,
  },
  {
    of: "webClient",
    given: ["audience"],
    problem: `must be one of ${ENV.audience}: the tokens of other clients are refused`,
    breaks: ({ webClient, audience }) => webClient !== undefined && !audience?.includes(webClient),
  },
  requiredWith("mxTlsKey", "mxTlsCert"),
  requiredWith("mxTlsCert", "mxTlsKey"),
  {
    of: "postmaster",
    given: ["aliasDomains"],
    problem: "must not be on an alias domain: its mail would loop",
    breaks: ({ postmaster, aliasDomains }) =>
      postmaster !== undefined && aliasDomains.includes(EmailAddress.domain(postmaster)),
  },
  {
    of: "spoolLimit",
    given: ["mailSize"],
    problem: `must be at least ${ENV.mailSize}`,
    breaks: ({ spoolLimit, mailSize }) => spoolLimit < mailSize,
  },
  apart("metricsHost", "metricsPort", "host", "port"),
  apart("host", "keysPort", "host", "port"),
  apart("metricsHost", "metricsPort", "host", "keysPort"),
  apart("mxHost", "mxPort", "host", "port"),
  apart("mxHost", "mxPort", "host", "keysPort"),
  apart("mxHost", "mxPort", "metricsHost", "metricsPort"),
  apart("webHost", "webPort", "host", "port"),
  apart("webHost", "webPort", "host", "keysPort"),
  apart("webHost", "webPort", "metricsHost", "metricsPort"),
  apart("webHost", "webPort", "mxHost", "mxPort"),
];

/** Checks each rule even if other variables are invalid, so that all problems are reported. */
const checked = <V, S extends z.ZodType<V>>(schema: S, rules: readonly Rule<V>[]): S =>
  rules.reduce(
    (sofar, { of, given, problem, breaks }) =>
      sofar.refine((values) => !breaks(values), {
        path: [of],
        message: problem,
        when: ({ issues }) => !issues.some(({ path }) => [of, ...given].some((key) => key === path?.[0])),
      }),
    schema,
  );

export const withStoreRules = <S extends z.ZodType<StoreValues>>(schema: S): S =>
  checked(schema, STORE_RULES);

/** Ensures that there is an SMTP server which can be a relay. */
export const withRelayRule = <S extends z.ZodType<Relays>>(schema: S): S => checked(schema, [needsRelay]);

export const withRules = <S extends z.ZodType<Values>>(schema: S): S => checked(schema, RULES);
