import {
  DEFAULT_LIMITS,
  parseAccountLimits,
  parseAliasDomains,
  parseEmailAddress,
  parseReservedNames,
} from "@postern/core";
import * as z from "zod";
import {
  absolutePath,
  bytes,
  commaList,
  connections,
  count,
  dkimSelector,
  dnsServer,
  domainName,
  flag,
  gatewaySecret,
  linkSecrets,
  mailboxSecret,
  milliseconds,
  network,
  origin,
  parsedBy,
  port,
  postgresUrl,
  redisUrl,
  secureUrl,
  smtpUrl,
  text,
} from "./formats.ts";

/** A secret can also be in a file, which a second variable names. */
type About = { readonly meaning: string; readonly example: string; readonly secret?: true };
const abouts = z.registry<About>();

/** A copy of the format, because a description belongs to a schema and variables share formats. */
const variable = <S extends z.ZodType>(format: S, about: About): S => {
  const copy = format.clone();
  abouts.add(copy, about);
  return copy;
};

const verificationMessages = parsedBy(count, (verificationMessages) =>
  parseAccountLimits({ verificationMessages }).map((limits) => limits.verificationMessages),
);

/** Every variable that the server reads, with its format and its meaning. */
export const Variables = z.object({
  HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to listen on; 0.0.0.0 for all addresses of this machine",
    example: "0.0.0.0",
  }),
  PORT: variable(port.default(8080), {
    meaning: "port to listen on; 0 selects a free one",
    example: "8080",
  }),
  POSTERN_STORE: variable(
    z
      .enum(
        ["sqlite", "postgres", "dynamodb", "memory"],
        "must be one of: sqlite, postgres, dynamodb, memory",
      )
      .default("sqlite"),
    {
      meaning:
        "where data is stored: sqlite (one machine), postgres or dynamodb (several), or memory (lost when the process ends)",
      example: "postgres",
    },
  ),
  POSTERN_SQLITE_PATH: variable(text.default(".postern/postern.db"), {
    meaning: "file of the sqlite store; created if missing",
    example: "/var/lib/postern/postern.db",
  }),
  POSTERN_POSTGRES_URL: variable(postgresUrl.optional(), {
    meaning:
      "database of the postgres store, which requires it. TLS is required and verified, unless the host is this machine or the URL ends in ?sslmode=disable or ?sslmode=require",
    example: "postgres://postern:password@db.example.com:5432/postern",
    secret: true,
  }),
  POSTERN_POSTGRES_CA_PATH: variable(absolutePath.optional(), {
    meaning: "PEM file with the certificate authority of PostgreSQL, unless Node already trusts it",
    example: "/etc/postern/postgres-ca.pem",
  }),
  POSTERN_POSTGRES_CONNECTIONS: variable(connections.default(10), {
    meaning: "maximum number of connections to PostgreSQL",
    example: "20",
  }),
  POSTERN_POSTGRES_TIMEOUT_MS: variable(milliseconds.default(2000), {
    meaning:
      "milliseconds for each call of the postgres store, including the wait for a connection; requests have two seconds in any case",
    example: "1000",
  }),
  POSTERN_DYNAMODB_TABLE: variable(text.default("postern"), {
    meaning: "table of the dynamodb store; `table create` creates it",
    example: "postern-production",
  }),
  POSTERN_DYNAMODB_ENDPOINT: variable(secureUrl.optional(), {
    meaning: "URL of DynamoDB; AWS by default",
    example: "http://127.0.0.1:8000",
  }),
  AWS_REGION: variable(text.optional(), {
    meaning: "region of the table; by default as in the AWS tools",
    example: "eu-central-1",
  }),
  POSTERN_ISSUER: variable(secureUrl, {
    meaning: "issuer of the identity tokens, exactly as in their iss claim",
    example: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
  }),
  POSTERN_AUDIENCE: variable(text, {
    meaning: "audience of the identity tokens: the id of the app client, as in their aud claim",
    example: "1example23456789",
  }),
  POSTERN_JWKS_URI: variable(secureUrl.optional(), {
    meaning: "URL of the issuer's signing keys, if not the issuer's /.well-known/jwks.json",
    example: "https://id.example.com/keys.json",
  }),
  POSTERN_AUTHORIZER: variable(
    z.enum(["token", "gateway"], "must be one of: token, gateway").default("token"),
    {
      meaning:
        "what verifies the signature of tokens: this server (token), or an API gateway in front of it (gateway)",
      example: "token",
    },
  ),
  POSTERN_GATEWAY_SECRET: variable(gatewaySecret.optional(), {
    meaning:
      "secret that the API gateway sends as X-Postern-Gateway-Secret with verified tokens; required if POSTERN_AUTHORIZER is gateway",
    example: "the output of: openssl rand -base64 48",
    secret: true,
  }),
  POSTERN_ALIAS_DOMAINS: variable(parsedBy(commaList, parseAliasDomains), {
    meaning: "domains whose addresses are aliases, separated by commas",
    example: "alias.example.com,alias.example.net",
  }),
  POSTERN_RESERVED_NAMES: variable(parsedBy(commaList, parseReservedNames).default([]), {
    meaning:
      "names that accounts cannot choose for aliases, besides admin, postmaster and the like, separated by commas",
    example: "billing,privacy",
  }),
  POSTERN_PUBLIC_URL: variable(secureUrl, {
    meaning: "public URL of this service; links in messages begin with it",
    example: "https://postern.example.com",
  }),
  POSTERN_LINK_SECRET: variable(linkSecrets, {
    meaning:
      "secret that encrypts the links in messages; to change it, set NEW,OLD for a day, then NEW, and keep the oldest as POSTERN_MAILBOX_SECRET",
    example: "the output of: openssl rand -base64 48",
    secret: true,
  }),
  POSTERN_MAILBOX_SECRET: variable(mailboxSecret.optional(), {
    meaning:
      "secret that hashes mailboxes; by default the last link secret. If it changes, suppressed mailboxes are forgotten",
    example: "the link secret that was used first",
    secret: true,
  }),
  POSTERN_SMTP_URL: variable(smtpUrl, {
    meaning:
      "SMTP server for verification mail that is not queued; also the relay if POSTERN_RELAY_URL is not set",
    example: "smtps://user:password@mail.example.com",
    secret: true,
  }),
  POSTERN_MAIL_FROM: variable(parsedBy(text, parseEmailAddress), {
    meaning: "sender address of verification mail",
    example: "postern@example.com",
  }),
  POSTERN_MX_PORT: variable(port.optional(), {
    meaning:
      "SMTP port that receives mail for aliases; without it, no mail is received or forwarded. Mail servers connect to 25, which needs CAP_NET_BIND_SERVICE",
    example: "25",
  }),
  POSTERN_MX_HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to receive mail on; 0.0.0.0 for all IPv4 addresses of this machine, :: for all",
    example: "0.0.0.0",
  }),
  POSTERN_MX_NAME: variable(domainName.optional(), {
    meaning: "host name in the MX records of the alias domains; required with POSTERN_MX_PORT",
    example: "mx.example.com",
  }),
  POSTERN_MX_TLS_KEY: variable(absolutePath.optional(), {
    meaning:
      "PEM file with the private key of POSTERN_MX_TLS_CERT; without both, mail is received unencrypted. SIGHUP reloads them",
    example: "/etc/postern/mx-key.pem",
  }),
  POSTERN_MX_TLS_CERT: variable(absolutePath.optional(), {
    meaning: "PEM file with the certificate chain for POSTERN_MX_NAME",
    example: "/etc/postern/mx-cert.pem",
  }),
  POSTERN_SPOOL_PATH: variable(text.default(".postern/spool"), {
    meaning:
      "directory in which accepted mail waits, on a local disk, one for each server; created if missing",
    example: "/var/lib/postern/spool",
  }),
  POSTERN_SPOOL_LIMIT: variable(bytes.default(2 ** 30), {
    meaning: "bytes of mail that may wait; beyond that, new mail is refused temporarily",
    example: "5368709120",
  }),
  POSTERN_RELAY_URL: variable(smtpUrl.optional(), {
    meaning:
      "mail server that delivers forwarded mail; by default POSTERN_SMTP_URL. With ?maxConnections=5, it gets at most 5 connections instead of 20",
    example: "smtps://user:password@relay.example.com",
    secret: true,
  }),
  POSTERN_POSTMASTER: variable(parsedBy(text, parseEmailAddress).optional(), {
    meaning:
      "mailbox outside the alias domains that gets mail to postmaster@ and abuse@ on them; required with POSTERN_MX_PORT",
    example: "operator@example.com",
  }),
  POSTERN_DKIM_KEY: variable(absolutePath.optional(), {
    meaning:
      "PEM file with the RSA key (at least 2048 bits) that signs forwarded mail; `mail key` makes it; required with POSTERN_MX_PORT",
    example: "/etc/postern/dkim.pem",
  }),
  POSTERN_DKIM_SELECTOR: variable(dkimSelector.optional(), {
    meaning:
      "the public key is published at SELECTOR._domainkey of each alias domain; a new one for each new key; required with POSTERN_MX_PORT",
    example: "postern1",
  }),
  POSTERN_MAIL_SIZE: variable(bytes.default(25 * 2 ** 20), {
    meaning: "bytes of the largest message that is accepted",
    example: "52428800",
  }),
  POSTERN_MAIL_INACTIVE: variable(
    z.enum(["reject", "discard"], "must be one of: reject, discard").default("reject"),
    {
      meaning: "mail to an inactive alias is rejected (reject), or accepted and discarded (discard)",
      example: "discard",
    },
  ),
  POSTERN_MAIL_DMARC: variable(
    z.enum(["reject", "ignore"], "must be one of: reject, ignore").default("reject"),
    {
      meaning:
        "mail that fails DMARC, if its domain's policy is reject, is rejected (reject), or forwarded with a sender that is marked as unverified (ignore)",
      example: "ignore",
    },
  ),
  POSTERN_MAIL_DSN: variable(
    z.enum(["verified", "never"], "must be one of: verified, never").default("verified"),
    {
      meaning:
        "who gets a notice when mail reaches no recipient of an alias: senders who passed SPF or DMARC (verified), or nobody (never)",
      example: "never",
    },
  ),
  POSTERN_MAIL_ARC: variable(flag.default(true), {
    meaning:
      "whether forwarded mail gets an ARC set; turn it off if the relay changes Date or Message-ID, as Amazon SES does",
    example: "false",
  }),
  POSTERN_MAIL_SUBJECTS: variable(flag.default(false), {
    meaning: "whether the message log, which owners can read for 30 days, includes subjects",
    example: "true",
  }),
  POSTERN_DELIVERY_NOTICES: variable(flag.default(false), {
    meaning: "whether the relay is asked to report deliveries, so that `delivered` is counted",
    example: "true",
  }),
  POSTERN_WEBHOOKS: variable(flag.default(true), {
    meaning: "whether accounts can register webhooks: public https URLs to which events are posted",
    example: "false",
  }),
  POSTERN_DNS: variable(dnsServer.optional(), {
    meaning: "DNS server for checks of senders and records, and for webhooks; by default those of the system",
    example: "127.0.0.1:53",
  }),
  POSTERN_CORS_ORIGINS: variable(commaList.pipe(z.array(origin)).default([]), {
    meaning: "origins of browser apps that may call the API, separated by commas",
    example: "https://app.example.com",
  }),
  POSTERN_RATE_LIMIT: variable(count.default(1200), {
    meaning:
      "requests per minute of each account, and of each IP address on routes without a token; 0 for no limit",
    example: "1200",
  }),
  POSTERN_CREATION_LIMIT: variable(count.default(60), {
    meaning: "aliases and recipients that each account can create per minute; 0 for no limit",
    example: "10",
  }),
  POSTERN_MAX_ALIASES: variable(count.default(DEFAULT_LIMITS.aliases), {
    meaning: "maximum number of aliases of each account, including deleted ones; 0 for no limit",
    example: "1000",
  }),
  POSTERN_MAX_RECIPIENTS: variable(count.default(DEFAULT_LIMITS.recipients), {
    meaning: "maximum number of recipients of each account; 0 for no limit",
    example: "50",
  }),
  POSTERN_MAX_UNVERIFIED_RECIPIENTS: variable(count.default(DEFAULT_LIMITS.unverifiedRecipients), {
    meaning: "maximum number of unverified recipients of each account; 0 for no limit",
    example: "5",
  }),
  POSTERN_MAX_CONTACTS: variable(count.default(DEFAULT_LIMITS.contacts), {
    meaning:
      "maximum number of contacts of each alias, after which the least recently used are evicted; 0 for no limit",
    example: "1000",
  }),
  POSTERN_MAX_BLOCKED_SENDERS: variable(count.default(DEFAULT_LIMITS.blockedSenders), {
    meaning: "maximum number of addresses and domains that each account can block; 0 for no limit",
    example: "200",
  }),
  POSTERN_MAX_VERIFICATION_MESSAGES: variable(
    verificationMessages.default(DEFAULT_LIMITS.verificationMessages),
    {
      meaning: "verification messages that each account can send in 24 hours, at most 1000; 0 for no limit",
      example: "20",
    },
  ),
  POSTERN_REDIS_URL: variable(redisUrl.optional(), {
    meaning: "Redis or Valkey in which servers count requests together; by default each counts alone",
    example: "rediss://user:password@redis.example.com",
    secret: true,
  }),
  POSTERN_TRUSTED_PROXIES: variable(commaList.pipe(z.array(network)).default([]), {
    meaning: "proxies whose X-Forwarded-For header is trusted: addresses or networks, separated by commas",
    example: "127.0.0.1,10.0.0.0/8",
  }),
  POSTERN_LOG_LEVEL: variable(
    z
      .enum(
        ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        "must be one of: trace, debug, info, warn, error, fatal, silent",
      )
      .default("info"),
    { meaning: "minimum severity of log lines", example: "warn" },
  ),
  POSTERN_ACCESS_LOG: variable(flag.default(false), {
    meaning: "whether all requests are logged (at level info), not only failed and slow ones",
    example: "true",
  }),
  POSTERN_METRICS_PORT: variable(port.optional(), {
    meaning: "port that serves Prometheus metrics at /metrics; nothing is measured by default",
    example: "9464",
  }),
  POSTERN_METRICS_HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to serve metrics on, without a token: it must not be public",
    example: "10.0.0.5",
  }),
});

/** What happens if a variable is not set. */
const whenUnset = (format: z.ZodType): string => {
  const unset = format.safeParse(undefined);
  if (!unset.success) return "required";
  return ["string", "number", "boolean"].includes(typeof unset.data) ? `default: ${unset.data}` : "optional";
};

/** The variable that names a file with the value of the secret `name`. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** The secrets: variables whose value can be in a file. */
export const secretNames: ReadonlySet<string> = new Set(
  Variables.keyof().options.filter((name) => abouts.get(Variables.shape[name])?.secret),
);

/** A variable as text, for documentation. */
export type Description = {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
  readonly unset: string;
};

const describeFile = (secret: string): Description => ({
  name: fileVariable(secret),
  meaning: `absolute path of a file with ${secret}; set only one of the two`,
  example: `/etc/postern/${secret.replace("POSTERN_", "").toLowerCase().replaceAll("_", "-")}`,
  unset: "optional",
});

/** All variables, each secret followed by the variable that names its file. */
export const descriptions: readonly Description[] = Variables.keyof().options.flatMap((name) => {
  const format = Variables.shape[name];
  const { meaning = "", example = "" } = abouts.get(format) ?? {};
  const described = { name, meaning, example, unset: whenUnset(format) };
  return secretNames.has(name) ? [described, describeFile(name)] : [described];
});
