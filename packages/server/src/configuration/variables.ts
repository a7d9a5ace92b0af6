import { AliasDomains, EmailAddress } from "@postern/core";
import { z } from "zod";
import {
  commaList,
  count,
  flag,
  linkSecrets,
  network,
  origin,
  port,
  redisUrl,
  secureUrl,
  smtpUrl,
  text,
} from "./formats.ts";

type About = { readonly meaning: string; readonly example: string };
const abouts = z.registry<About>();

/** A copy of the format, so that two variables of one format are described apart. */
const variable = <S extends z.ZodType>(format: S, about: About): S => {
  const copy = format.clone();
  abouts.add(copy, about);
  return copy;
};

/** Every variable the server reads: what it must be, and what it means to an operator. */
export const Variables = z.object({
  HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to listen on; 0.0.0.0 for all of this machine's",
    example: "0.0.0.0",
  }),
  PORT: variable(port.default(8080), {
    meaning: "port to listen on; 0 picks a free one",
    example: "8080",
  }),
  POSTERN_STORE: variable(
    z.enum(["sqlite", "dynamodb", "memory"], "must be one of: sqlite, dynamodb, memory").default("sqlite"),
    {
      meaning: "where data is kept; sqlite: one machine, dynamodb: many, memory: lost when the process ends",
      example: "dynamodb",
    },
  ),
  POSTERN_SQLITE_PATH: variable(text.default(".postern/postern.db"), {
    meaning: "the file of the sqlite store; it is made if it is not there",
    example: "/var/lib/postern/postern.db",
  }),
  POSTERN_DYNAMODB_TABLE: variable(text.default("postern"), {
    meaning: "the table of the dynamodb store; `table create` makes it",
    example: "postern-production",
  }),
  POSTERN_DYNAMODB_ENDPOINT: variable(secureUrl.optional(), {
    meaning: "where DynamoDB is, if not where AWS has it",
    example: "http://127.0.0.1:8000",
  }),
  AWS_REGION: variable(text.optional(), {
    meaning: "the region of the table; credentials too are found as AWS's own tools find them",
    example: "eu-central-1",
  }),
  POSTERN_ISSUER: variable(secureUrl, {
    meaning: "issuer of identity tokens: the user pool's URL, exactly as in the tokens' iss claim",
    example: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
  }),
  POSTERN_AUDIENCE: variable(text, {
    meaning: "audience of identity tokens: the app client's id, as in the tokens' aud claim",
    example: "1example23456789",
  }),
  POSTERN_JWKS_URI: variable(secureUrl.optional(), {
    meaning: "where the issuer publishes its signing keys, if not at /.well-known/jwks.json below it",
    example: "https://id.example.com/keys.json",
  }),
  POSTERN_AUTHORIZER: variable(
    z.enum(["token", "gateway"], "must be one of: token, gateway").default("token"),
    {
      meaning:
        "who verifies the signature of tokens: this server (token), or an API gateway before it (gateway) that nobody can get around",
      example: "token",
    },
  ),
  POSTERN_ALIAS_DOMAINS: variable(commaList.pipe(AliasDomains), {
    meaning: "domains whose addresses are aliases, separated by commas",
    example: "alias.example.com,alias.example.net",
  }),
  POSTERN_PUBLIC_URL: variable(secureUrl, {
    meaning: "where people reach this service; links in mails begin with it",
    example: "https://postern.example.com",
  }),
  POSTERN_LINK_SECRET: variable(linkSecrets, {
    meaning: "secret that signs the links in mails; to change it, set NEW,OLD for a day, then NEW",
    example: "the output of: openssl rand -base64 48",
  }),
  POSTERN_SMTP_URL: variable(smtpUrl, {
    meaning: "mail server to send with",
    example: "smtps://user:password@mail.example.com",
  }),
  POSTERN_MAIL_FROM: variable(EmailAddress, {
    meaning: "sender of the mails",
    example: "postern@example.com",
  }),
  POSTERN_CORS_ORIGINS: variable(commaList.pipe(z.array(origin)).default([]), {
    meaning: "origins of browser apps that may call the API, separated by commas",
    example: "https://app.example.com",
  }),
  POSTERN_RATE_LIMIT: variable(count.default(1200), {
    meaning: "requests a minute of each account, and from each address to the open routes; 0: any number",
    example: "1200",
  }),
  POSTERN_REDIS_URL: variable(redisUrl.optional(), {
    meaning:
      "Redis or Valkey in which several servers count requests together; without it each counts its own",
    example: "rediss://user:password@redis.example.com",
  }),
  POSTERN_TRUSTED_PROXIES: variable(commaList.pipe(z.array(network)).default([]), {
    meaning:
      "proxies whose X-Forwarded-For tells the caller's address: addresses or networks, separated by commas",
    example: "127.0.0.1,10.0.0.0/8",
  }),
  POSTERN_LOG_LEVEL: variable(
    z
      .enum(
        ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        "must be one of: trace, debug, info, warn, error, fatal, silent",
      )
      .default("info"),
    { meaning: "least severe log lines to write", example: "warn" },
  ),
  POSTERN_ACCESS_LOG: variable(flag.default(false), {
    meaning: "whether every request is logged, at level info; otherwise those that fail and slow ones",
    example: "true",
  }),
  POSTERN_METRICS_PORT: variable(port.optional(), {
    meaning: "port that serves Prometheus metrics at /metrics; without one nothing is measured",
    example: "9464",
  }),
  POSTERN_METRICS_HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to serve metrics on; they need no token, so only one that no stranger reaches",
    example: "10.0.0.5",
  }),
});

/** What happens when a variable is not set. */
const whenUnset = (format: z.ZodType): string => {
  const unset = format.safeParse(undefined);
  if (!unset.success) return "required";
  return ["string", "number", "boolean"].includes(typeof unset.data) ? `default: ${unset.data}` : "optional";
};

/** The same table for people. */
export const descriptions = Variables.keyof().options.map((name) => {
  const format = Variables.shape[name];
  const { meaning = "", example = "" } = abouts.get(format) ?? {};
  return { name, meaning, example, unset: whenUnset(format) };
});
