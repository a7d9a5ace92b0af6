import {
  DEFAULT_LIMITS,
  parseAccountLimits,
  parseAliasDomains,
  parseEmailAddress,
  parseReservedNames,
} from "@postern/core";
import {
  DEFAULT_LANGUAGE,
  DEFAULT_SERVICE,
  LANGUAGES,
  parseServiceName,
  parseServiceUrl,
} from "@postern/core/words";
import * as z from "zod";
import {
  absolutePath,
  bytes,
  claim,
  clientIds,
  commaList,
  connections,
  count,
  dkimSelector,
  dnsServer,
  domainName,
  flag,
  gatewaySecret,
  jwksUri,
  linkSecrets,
  logoFile,
  mailboxSecret,
  mailUrl,
  milliseconds,
  network,
  oneOf,
  origin,
  parsedBy,
  port,
  postgresUrl,
  queueUrl,
  redisUrl,
  secureOrigin,
  secureUrl,
  signIns,
  smtpUrl,
  tableName,
  text,
} from "./formats.ts";
import { ENV, fileVariable, type Key } from "./names.ts";

/** A secret can also be in a file, which a second variable names. */
type About = {
  readonly meaning: string;
  readonly example: string;
  readonly secret?: true;
  /** Whether it is required although its format allows its absence, because a rule does (`rules.ts`). */
  readonly required?: true;
};
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

/** Where the store is. */
export const StoreVariables = z.object({
  store: variable(oneOf("sqlite", "postgres", "dynamodb", "memory").default("sqlite"), {
    meaning:
      "where data is stored: sqlite (one machine), postgres or dynamodb (several), or memory (lost when the process ends)",
    example: "postgres",
  }),
  sqlitePath: variable(text.default(".postern/postern.db"), {
    meaning: "file of the sqlite store; created if missing",
    example: "/var/lib/postern/postern.db",
  }),
  postgresUrl: variable(postgresUrl.optional(), {
    meaning:
      "database of the postgres store, which requires it. TLS is required and verified, unless the host is this machine or the URL ends in ?sslmode=disable or ?sslmode=require",
    example: "postgres://postern:password@db.example.com:5432/postern",
    secret: true,
  }),
  postgresCaPath: variable(absolutePath.optional(), {
    meaning: "PEM file with the certificate authority of PostgreSQL, unless Node already trusts it",
    example: "/etc/postern/postgres-ca.pem",
  }),
  postgresConnections: variable(connections.default(10), {
    meaning: "maximum number of connections to PostgreSQL",
    example: "20",
  }),
  postgresTimeoutMs: variable(milliseconds.default(2000), {
    meaning:
      "milliseconds for each call of the postgres store, including the wait for a connection; requests have two seconds in any case",
    example: "1000",
  }),
  dynamodbTable: variable(tableName.default("postern"), {
    meaning: "table of the dynamodb store; `table create` creates it",
    example: "postern-production",
  }),
  dynamodbEndpoint: variable(secureUrl.optional(), {
    meaning: "URL of DynamoDB; AWS by default",
    example: "http://127.0.0.1:8000",
  }),
  awsRegion: variable(text.optional(), {
    meaning: "region of the table; by default as in the AWS tools",
    example: "eu-central-1",
  }),
} satisfies Partial<Record<Key, z.ZodType>>);

/** Every variable that the server reads, with its format and its meaning. */
export const Variables = z.object({
  host: variable(text.default("127.0.0.1"), {
    meaning: "address to listen on; 0.0.0.0 for all addresses of this machine",
    example: "0.0.0.0",
  }),
  port: variable(port.default(8080), {
    meaning: "port to listen on; 0 selects a free one",
    example: "8080",
  }),
  ...StoreVariables.shape,
  issuer: variable(secureUrl.optional(), {
    meaning: "issuer of the identity tokens, exactly as in their iss claim",
    example: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
    required: true,
  }),
  audience: variable(clientIds.optional(), {
    meaning:
      "audience of the identity tokens: the id of the app client, as in their aud claim; or up to 10 ids, separated by commas",
    example: "1example23456789",
    required: true,
  }),
  jwksUri: variable(jwksUri.optional(), {
    meaning: "URL of the issuer's signing keys, if not the one in its /.well-known/openid-configuration",
    example: "https://id.example.com/keys.json",
  }),
  requiredClaim: variable(claim.optional(), {
    meaning:
      "claim that identity tokens must have for somebody to have an account, as NAME=VALUE: the claim is the value, or a list that contains it. By default, everybody with a token for the audience may have one",
    example: "groups=mail",
  }),
  authorizer: variable(oneOf("token", "gateway", "none").default("token"), {
    meaning: `what verifies the signature of tokens: this server (token), or an API gateway in front of it (gateway). With none, nobody can use the API, only commands manage aliases, and ${ENV.issuer} and ${ENV.audience} are not needed`,
    example: "token",
  }),
  gatewaySecret: variable(gatewaySecret.optional(), {
    meaning: `secret that the API gateway sends as X-Postern-Gateway-Secret with verified tokens; required if ${ENV.authorizer} is gateway`,
    example: "the output of: openssl rand -base64 48",
    secret: true,
  }),
  aliasDomains: variable(parsedBy(commaList, parseAliasDomains), {
    meaning: "domains whose addresses are aliases, separated by commas",
    example: "alias.example.com,alias.example.net",
  }),
  reservedNames: variable(parsedBy(commaList, parseReservedNames).default([]), {
    meaning:
      "names that accounts cannot choose for aliases, besides admin, postmaster and the like, separated by commas",
    example: "billing,privacy",
  }),
  publicUrl: variable(secureUrl, {
    meaning: "public URL of this service; links in messages begin with it",
    example: "https://postern.example.com",
  }),
  serviceName: variable(parsedBy(text, parseServiceName).default(DEFAULT_SERVICE.name), {
    meaning:
      "what the verification page and messages to recipients call this service, also as their sender; at most 64 characters",
    example: "Posthorn",
  }),
  serviceUrl: variable(parsedBy(text, parseServiceUrl).optional(), {
    meaning: "website of this service, which the verification page and message link to",
    example: "https://www.example.com",
  }),
  serviceLogo: variable(logoFile.optional(), {
    meaning:
      "file with the logo at the top of the verification page: PNG, JPEG or SVG, at most 64 KiB, visible on white and on nearly black",
    example: "/etc/postern/logo.svg",
  }),
  language: variable(oneOf(...LANGUAGES).default(DEFAULT_LANGUAGE), {
    meaning:
      "language of messages to recipients, and of the verification page for browsers that ask for none of these: en (English) or de (German)",
    example: "de",
  }),
  linkSecrets: variable(linkSecrets, {
    meaning: `secret that encrypts the links in messages; to change it, set NEW,OLD for a day, then NEW, and keep the oldest as ${ENV.mailboxSecret}`,
    example: "the output of: openssl rand -base64 48",
    secret: true,
  }),
  mailboxSecret: variable(mailboxSecret.optional(), {
    meaning:
      "secret that hashes mailboxes and API keys; by default the last link secret. If it changes, suppressed mailboxes are forgotten, and no API key works",
    example: "the link secret that was used first",
    secret: true,
  }),
  smtpUrl: variable(mailUrl, {
    meaning: `SMTP server for verification mail that is not queued, also the relay if ${ENV.relayUrl} is not set; or Amazon SES, which is no relay: ses://REGION or ses://REGION?configuration-set=NAME`,
    example: "smtps://user:password@mail.example.com",
    secret: true,
  }),
  mailFrom: variable(parsedBy(text, parseEmailAddress), {
    meaning: "sender address of verification mail",
    example: "postern@example.com",
  }),
  mxPort: variable(port.optional(), {
    meaning:
      "SMTP port that receives mail for aliases; without it, no mail is received or forwarded. Mail servers connect to 25, which needs CAP_NET_BIND_SERVICE",
    example: "25",
  }),
  mxHost: variable(text.default("127.0.0.1"), {
    meaning: "address to receive mail on; 0.0.0.0 for all IPv4 addresses of this machine, :: for all",
    example: "0.0.0.0",
  }),
  mxName: variable(domainName.optional(), {
    meaning: `host name in the MX records of the alias domains; required with ${ENV.mxPort}`,
    example: "mx.example.com",
  }),
  mxTlsKey: variable(absolutePath.optional(), {
    meaning: `PEM file with the private key of ${ENV.mxTlsCert}; without both, mail is received unencrypted. SIGHUP reloads them`,
    example: "/etc/postern/mx-key.pem",
  }),
  mxTlsCert: variable(absolutePath.optional(), {
    meaning: `PEM file with the certificate chain for ${ENV.mxName}`,
    example: "/etc/postern/mx-cert.pem",
  }),
  mxRateLimit: variable(count.default(600), {
    meaning:
      "messages per minute from each network (an IP address, or a /64 of IPv6), and to each alias; a tenth as many refused recipients. 0 for no limit, as behind a proxy that hides the addresses of clients",
    example: "6000",
  }),
  spoolPath: variable(text.default(".postern/spool"), {
    meaning:
      "directory in which accepted mail waits, on a local disk, one for each server; created if missing",
    example: "/var/lib/postern/spool",
  }),
  spoolLimit: variable(bytes.default(2 ** 30), {
    meaning: "bytes of mail that may wait; beyond that, new mail is refused temporarily",
    example: "5368709120",
  }),
  relayUrl: variable(smtpUrl.optional(), {
    meaning: `mail server that delivers forwarded mail; by default ${ENV.smtpUrl}. With ?maxConnections=5, it gets at most 5 connections instead of 20`,
    example: "smtps://user:password@relay.example.com",
    secret: true,
  }),
  postmaster: variable(parsedBy(text, parseEmailAddress).optional(), {
    meaning: `mailbox outside the alias domains that gets mail to postmaster@ and abuse@ on them; required with ${ENV.mxPort}`,
    example: "operator@example.com",
  }),
  dkimKey: variable(absolutePath.optional(), {
    meaning: `PEM file with the RSA key (at least 2048 bits) that signs forwarded mail; \`mail key\` makes it; required with ${ENV.mxPort}`,
    example: "/etc/postern/dkim.pem",
  }),
  dkimSelector: variable(dkimSelector.optional(), {
    meaning: `the public key is published at SELECTOR._domainkey of each alias domain; a new one for each new key; required with ${ENV.mxPort}`,
    example: "postern1",
  }),
  mailSize: variable(bytes.default(25 * 2 ** 20), {
    meaning: "bytes of the largest message that is accepted",
    example: "52428800",
  }),
  mailInactive: variable(oneOf("reject", "discard").default("reject"), {
    meaning: "mail to an inactive alias is rejected (reject), or accepted and discarded (discard)",
    example: "discard",
  }),
  mailDmarc: variable(oneOf("reject", "ignore").default("reject"), {
    meaning:
      "mail that fails DMARC, if its domain's policy is reject, is rejected (reject), or forwarded with a sender that is marked as unverified (ignore)",
    example: "ignore",
  }),
  mailDsn: variable(oneOf("verified", "never").default("verified"), {
    meaning:
      "who gets a notice when mail reaches no recipient of an alias: senders who passed SPF or DMARC (verified), or nobody (never)",
    example: "never",
  }),
  mailArc: variable(flag.default(true), {
    meaning:
      "whether forwarded mail gets an ARC set; turn it off if the relay changes Date or Message-ID, as Amazon SES does",
    example: "false",
  }),
  mailSubjects: variable(flag.default(false), {
    meaning: "whether the message log, which owners can read for 30 days, includes subjects",
    example: "true",
  }),
  deliveryNotices: variable(flag.default(false), {
    meaning: "whether the relay is asked to report deliveries, so that `delivered` is counted",
    example: "true",
  }),
  sesQueue: variable(queueUrl.optional(), {
    meaning:
      "URL of the queue (SQS) with what Amazon SES reports about forwarded mail, so that deliveries, bounces and complaints are counted; one of the servers that share a store is enough",
    example: "https://sqs.eu-west-1.amazonaws.com/123456789012/postern-outcomes",
  }),
  mailBucket: variable(text.optional(), {
    meaning:
      "functions only: bucket (S3) in which Amazon SES stores the mail that it receives for aliases; without it, functions receive none. Servers ignore it",
    example: "postern-mail-123456789012",
  }),
  spoolTable: variable(tableName.optional(), {
    meaning: `functions only: table (DynamoDB) of the mail that waits, with its content in ${ENV.mailBucket}, which requires it`,
    example: "postern-spool",
  }),
  webhooks: variable(flag.default(true), {
    meaning: "whether accounts can register webhooks: public https URLs to which events are posted",
    example: "false",
  }),
  keysPort: variable(port.optional(), {
    meaning:
      "port that serves programs with keys, such as password managers, on the same address as the API; none by default",
    example: "8081",
  }),
  keysUrl: variable(secureUrl.optional(), {
    meaning: `where programs reach that port, and what people paste into them; required with ${ENV.keysPort}`,
    example: "https://keys.example.com",
  }),
  webPort: variable(port.optional(), {
    meaning: "port that serves the browser app, in which people manage their aliases; none by default",
    example: "8090",
  }),
  webHost: variable(text.default("127.0.0.1"), {
    meaning: "address to serve the browser app on; 0.0.0.0 for all addresses of this machine",
    example: "0.0.0.0",
  }),
  webUrl: variable(secureOrigin.optional(), {
    meaning: `origin at which people open the browser app, and which may call the API; also if something else serves its files. Required with ${ENV.webPort}, unless ${ENV.webHost} is a loopback address`,
    example: "https://mail.example.com",
  }),
  webClient: variable(text.optional(), {
    meaning: `id of the app client with which people sign in to the browser app; by default the first of ${ENV.audience}`,
    example: "1example23456789",
  }),
  webSignIn: variable(signIns.optional(), {
    meaning:
      "how people sign in to the browser app: with their password in its own form, which only Cognito supports (srp), at the page of any provider (oidc), or srp,oidc; by default srp if the issuer is Cognito, otherwise oidc",
    example: "srp,oidc",
  }),
  webTokenOrigin: variable(secureOrigin.optional(), {
    meaning:
      "origin of the provider's token endpoint, which the browser app calls after oidc, if it is not that of the issuer; with Cognito, that of the hosted page",
    example: "https://example.auth.eu-central-1.amazoncognito.com",
  }),
  dns: variable(dnsServer.optional(), {
    meaning: "DNS server for checks of senders and records, and for webhooks; by default those of the system",
    example: "127.0.0.1:53",
  }),
  corsOrigins: variable(commaList.pipe(z.array(origin)).default([]), {
    meaning: "origins of browser apps that may call the API, separated by commas",
    example: "https://app.example.com",
  }),
  publicDocument: variable(flag.default(false), {
    meaning: "whether GET /openapi.json describes the API to everybody, without a token",
    example: "true",
  }),
  rateLimit: variable(count.default(1200), {
    meaning:
      "requests per minute of each account, and of each IP address on routes without a token; 0 for no limit",
    example: "1200",
  }),
  creationLimit: variable(count.default(60), {
    meaning:
      "aliases, recipients, contacts, blocked senders, webhooks and their test events that each account can create per minute; 0 for no limit",
    example: "10",
  }),
  maxAliases: variable(count.default(DEFAULT_LIMITS.aliases), {
    meaning: "maximum number of aliases of each account, including deleted ones; 0 for no limit",
    example: "1000",
  }),
  maxRecipients: variable(count.default(DEFAULT_LIMITS.recipients), {
    meaning: "maximum number of recipients of each account; 0 for no limit",
    example: "50",
  }),
  maxUnverifiedRecipients: variable(count.default(DEFAULT_LIMITS.unverifiedRecipients), {
    meaning: "maximum number of unverified recipients of each account; 0 for no limit",
    example: "5",
  }),
  maxContacts: variable(count.default(DEFAULT_LIMITS.contacts), {
    meaning:
      "maximum number of contacts of each alias, after which those that were only named, or else the least recently used, are evicted; 0 for no limit",
    example: "1000",
  }),
  maxBlockedSenders: variable(count.default(DEFAULT_LIMITS.blockedSenders), {
    meaning: "maximum number of addresses and domains that each account can block; 0 for no limit",
    example: "200",
  }),
  maxVerificationMessages: variable(verificationMessages.default(DEFAULT_LIMITS.verificationMessages), {
    meaning: "verification messages that each account can send in 24 hours, at most 1000; 0 for no limit",
    example: "20",
  }),
  redisUrl: variable(redisUrl.optional(), {
    meaning: "Redis or Valkey in which servers count requests together; by default each counts alone",
    example: "rediss://user:password@redis.example.com",
    secret: true,
  }),
  trustedProxies: variable(commaList.pipe(z.array(network)).default([]), {
    meaning: "proxies whose X-Forwarded-For header is trusted: addresses or networks, separated by commas",
    example: "127.0.0.1,10.0.0.0/8",
  }),
  logLevel: variable(oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent").default("info"), {
    meaning: "minimum severity of log lines",
    example: "warn",
  }),
  accessLog: variable(flag.default(false), {
    meaning: "whether all requests are logged (at level info), not only failed and slow ones",
    example: "true",
  }),
  metricsPort: variable(port.optional(), {
    meaning: "port that serves Prometheus metrics at /metrics; nothing is measured by default",
    example: "9464",
  }),
  metricsHost: variable(text.default("127.0.0.1"), {
    meaning: "address to serve metrics on, without a token: it must not be public",
    example: "10.0.0.5",
  }),
} satisfies Record<Key, z.ZodType>);

/** All keys, in the order of the documentation. */
export const KEYS: readonly Key[] = Variables.keyof().options;

/** What happens if a variable is not set. */
const whenUnset = (format: z.ZodType): string => {
  const unset = format.safeParse(undefined);
  if (!unset.success) return "required";
  return ["string", "number", "boolean"].includes(typeof unset.data) ? `default: ${unset.data}` : "optional";
};

/** A variable as text, for documentation. */
export type Description = {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
  readonly unset: string;
};

/** Whether the value can be in a file instead. */
export const isSecret = (key: Key): boolean => abouts.get(Variables.shape[key])?.secret ?? false;

/** A value to show, not to use. */
export const exampleOf = (key: Key): string => abouts.get(Variables.shape[key])?.example ?? "";

const describe = (key: Key): Description => ({
  name: ENV[key],
  meaning: abouts.get(Variables.shape[key])?.meaning ?? "",
  example: exampleOf(key),
  unset: abouts.get(Variables.shape[key])?.required ? "required" : whenUnset(Variables.shape[key]),
});

const describeFile = (key: Key): Description => ({
  name: fileVariable(ENV[key]),
  meaning: `absolute path of a file with ${ENV[key]}; set only one of the two`,
  example: `/etc/postern/${ENV[key].replace("POSTERN_", "").toLowerCase().replaceAll("_", "-")}`,
  unset: "optional",
});

/** All variables, each secret followed by the variable that names its file. */
export const descriptions: readonly Description[] = KEYS.flatMap((key) =>
  isSecret(key) ? [describe(key), describeFile(key)] : [describe(key)],
);
