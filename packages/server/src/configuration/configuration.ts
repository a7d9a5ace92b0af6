import { EmailAddress, err, NO_LIMITS, ok, type Result } from "@postern/core";
import type { Service } from "@postern/core/words";
import type * as z from "zod";
import { inboundOf, mailPlaneOf } from "./mail-plane.ts";
import { ENV, fileVariable, type Key } from "./names.ts";
import { nearestName } from "./nearest-name.ts";
import { placeholderProblem } from "./placeholder.ts";
import { required, withRelayRule, withRules, withStoreRules } from "./rules.ts";
import { readSecretFile, type SecretFile } from "./secret-file.ts";
import { isServiceLink } from "./service-link.ts";
import type { FileProblem } from "./small-file.ts";
import { descriptions, isSecret, KEYS, StoreVariables, Variables } from "./variables.ts";
import { webAppOf } from "./web-app.ts";

/** Everything that an operator configures. */
export type Configuration = ReturnType<typeof configurationOf> & {
  /** What should be changed even though the server can start, such as a secret file that everybody may read. */
  readonly warnings: readonly string[];
};

/** Where the store is. */
export type StoreConfiguration = z.output<typeof StoreVariables>;

type Problems = readonly ConfigurationProblem[];

/**
 * What commands need: where the store and the spool are; for `import` only, the alias domains and the names reserved on
 * them; and what only a few commands need, so that its absence is not an error for the others: the secrets, the settings
 * for sending verification mail, what an account may have, the key that signs mail, and what is published about this mail server.
 */
export type CommandConfiguration = z.output<typeof CommandVariables> & {
  readonly secrets: Result<z.output<typeof SecretVariables>, Problems>;
  readonly mail: Result<MailConfiguration, Problems>;
  readonly accounts: Result<AccountConfiguration, Problems>;
  readonly dkim: Result<z.output<typeof DkimVariables>, Problems>;
  readonly published: Result<PublishedConfiguration, Problems>;
};

/** Everything that sending verification mail needs. */
export type MailConfiguration = ReturnType<typeof mailOf>;

/** What an account may have, as on the server. */
export type AccountConfiguration = ReturnType<typeof accountsOf>;

/** What DNS says about this mail server. */
export type PublishedConfiguration = ReturnType<typeof publishedOf>;

const CommandVariables = StoreVariables.extend({
  aliasDomains: Variables.shape.aliasDomains.optional(),
  reservedNames: Variables.shape.reservedNames,
  mailFrom: Variables.shape.mailFrom.optional(),
  spoolPath: Variables.shape.spoolPath,
  sesQueue: Variables.shape.sesQueue,
});

/** The secrets of links and of the mail ledger. */
const SecretVariables = Variables.pick({ linkSecrets: true, mailboxSecret: true });

const MailVariables = SecretVariables.extend({
  ...Variables.pick({ publicUrl: true, smtpUrl: true, mailFrom: true, maxVerificationMessages: true }).shape,
  ...Variables.pick({ serviceName: true, serviceUrl: true, language: true }).shape,
});

const AccountVariables = Variables.pick({
  aliasDomains: true,
  reservedNames: true,
  mailFrom: true,
  maxAliases: true,
  maxRecipients: true,
  maxUnverifiedRecipients: true,
  keysUrl: true,
});

/** The key that signs mail, and where it is published. */
const DkimVariables = Variables.pick({ aliasDomains: true, dkimKey: true, dkimSelector: true }).required();

/** The variables that determine which DNS records this mail server needs, as far as the server knows. */
export const PublishedVariables = withRelayRule(
  DkimVariables.extend({
    mxName: Variables.shape.mxName.nonoptional(),
    relayUrl: Variables.shape.relayUrl,
    smtpUrl: Variables.shape.smtpUrl,
  }),
);

/** What is wrong with a variable. Never contains the value, which may be a secret. */
export type ConfigurationProblem = {
  readonly variable: string;
  /** Continues a sentence that starts with the name of the variable, such as "is required". */
  readonly problem: string;
  /** Absent if there is no such variable. */
  readonly example?: string;
  /** Whether the variable is fine, but not the file that it names, which may still appear or change. */
  readonly inFile?: true;
};

export const publishedOf = ({
  mxName: name,
  relayUrl,
  smtpUrl,
  ...dkim
}: z.output<typeof PublishedVariables>) => ({
  ...dkim,
  name,
  relayUrl: relayUrl ?? smtpUrl,
});

const mailOf = ({ serviceName, serviceUrl, ...mail }: z.output<typeof MailVariables>) => ({
  ...mail,
  service: serviceOf({ serviceName, serviceUrl }),
});

/** The names that the operator adds, and the sender's: messages that bounce return to it, with their verification links. */
const reservedNamesOf = ({
  reservedNames,
  mailFrom,
}: Pick<z.output<typeof CommandVariables>, "reservedNames" | "mailFrom">): readonly string[] =>
  mailFrom === undefined ? reservedNames : [...reservedNames, EmailAddress.localPart(mailFrom)];

const accountsOf = (values: z.output<typeof AccountVariables>) => ({
  aliasDomains: values.aliasDomains,
  keysUrl: values.keysUrl,
  reservedNames: reservedNamesOf(values),
  limits: {
    ...NO_LIMITS,
    aliases: values.maxAliases,
    recipients: values.maxRecipients,
    unverifiedRecipients: values.maxUnverifiedRecipients,
  },
});

/** The service as the owners of mailboxes know it. */
const serviceOf = ({
  serviceName: name,
  serviceUrl: url,
}: Pick<z.output<typeof Variables>, "serviceName" | "serviceUrl">): Service => ({ name, url });

/** The origins whose pages may call the API: those that the operator lists, and that of our own app. */
const corsOriginsOf = (values: z.output<typeof Variables>): readonly string[] => {
  const app = webAppOf(values);
  return app === undefined ? values.corsOrigins : [...values.corsOrigins, app.origin];
};

const configurationOf = (values: z.output<typeof Variables>) => ({
  host: values.host,
  port: values.port,
  store: values.store,
  sqlitePath: values.sqlitePath,
  postgresUrl: values.postgresUrl,
  postgresCaPath: values.postgresCaPath,
  postgresConnections: values.postgresConnections,
  postgresTimeoutMs: values.postgresTimeoutMs,
  dynamodbTable: values.dynamodbTable,
  dynamodbEndpoint: values.dynamodbEndpoint,
  awsRegion: values.awsRegion,
  /** Whose tokens are accepted. Null if nobody can use the API. */
  identity:
    values.authorizer === "none" || values.issuer === undefined || values.audience === undefined
      ? null
      : { issuer: values.issuer, audience: values.audience },
  jwksUri: values.jwksUri,
  /** The claim of those who may have an account. Undefined if everybody may whom the issuer gives a token. */
  requiredClaim: values.requiredClaim,
  /** The secret that proves that a request has passed the gateway. Undefined if this server verifies signatures itself. */
  gatewaySecret: values.authorizer === "gateway" ? values.gatewaySecret : undefined,
  aliasDomains: values.aliasDomains,
  reservedNames: reservedNamesOf(values),
  publicUrl: values.publicUrl,
  service: serviceOf(values),
  /** A PNG, JPEG or SVG image. */
  logo: values.serviceLogo,
  language: values.language,
  linkSecrets: values.linkSecrets,
  mailboxSecret: values.mailboxSecret,
  smtpUrl: values.smtpUrl,
  mailFrom: values.mailFrom,
  /** Undefined if no mail is received and forwarded. */
  mailPlane: mailPlaneOf(values),
  /** Undefined if a function receives no mail. A server does not look at it. */
  inbound: inboundOf(values),
  /** The queue with what SES reports; undefined if there is none. */
  sesQueue: values.sesQueue,
  /** Whether events are sent to webhooks. */
  webhooks: values.webhooks,
  /** Where programs use keys; undefined if nowhere. */
  keys:
    values.keysPort === undefined || values.keysUrl === undefined
      ? undefined
      : { port: values.keysPort, url: values.keysUrl },
  /** The browser app; undefined if there is none. */
  web: webAppOf(values),
  webHost: values.webHost,
  /** Undefined if this server does not serve the app. */
  webPort: values.webPort,
  /** The name server to ask, with its port; undefined for the system's. */
  dns: values.dns,
  corsOrigins: corsOriginsOf(values),
  /** Whether the API's document is served without a token. */
  publicDocument: values.publicDocument,
  rateLimit: values.rateLimit,
  creationLimit: values.creationLimit,
  limits: {
    aliases: values.maxAliases,
    recipients: values.maxRecipients,
    unverifiedRecipients: values.maxUnverifiedRecipients,
    contacts: values.maxContacts,
    blockedSenders: values.maxBlockedSenders,
    verificationMessages: values.maxVerificationMessages,
  },
  redisUrl: values.redisUrl,
  trustedProxies: values.trustedProxies,
  logLevel: values.logLevel,
  accessLog: values.accessLog,
  metricsHost: values.metricsHost,
  metricsPort: values.metricsPort,
});

export type Environment = Readonly<Record<string, string | undefined>>;

const names = descriptions.map(({ name }) => name);

/** Variables with the server's prefix that the server does not read. */
const unknownNames = (set: Environment): Problems =>
  Object.entries(set)
    .filter(([name]) => name.startsWith("POSTERN_") && !names.includes(name))
    .filter(([name, value = ""]) => !isServiceLink(name, value))
    .map(([variable]) => {
      const nearest = nearestName(variable, names);
      const suggestion = nearest === undefined ? "--help lists all" : `did you mean ${nearest}?`;
      return { variable, problem: `is not a variable; ${suggestion}` };
    });

/** The file of a secret: what is in it, or what is wrong with it; undefined if the variable for it is not set. */
const fileOf = (key: Key, set: Environment): Result<SecretFile, FileProblem> | undefined => {
  const path = isSecret(key) ? set[fileVariable(ENV[key])] : undefined;
  if (path === undefined) return undefined;
  if (set[ENV[key]] === undefined) return readSecretFile(path);
  return err({ problem: `and ${ENV[key]} cannot both be set`, inFile: false });
};

type Read<T> = { readonly values: T; readonly warnings: readonly string[] };

/** The variables of `schema`, or everything that is wrong with them. An empty variable counts as unset. */
const read = <S extends z.ZodObject>(
  schema: S,
  environment: Environment,
  unknownAreProblems = true,
): Result<Read<z.output<S>>, Problems> => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const inputs = KEYS.filter((key) => key in schema.shape).map((key) => {
    const file = fileOf(key, set);
    return { key, file, value: file?.isOk() ? file.value.secret : set[ENV[key]] };
  });
  const parsed = schema.safeParse(Object.fromEntries(inputs.map(({ key, value }) => [key, value])));

  const problems = inputs.flatMap(({ key, file, value }): Problems => {
    const variable = file === undefined ? ENV[key] : fileVariable(ENV[key]);
    const example = descriptions.find(({ name }) => name === variable)?.example ?? "";
    // There is no value to judge.
    if (file?.isErr()) {
      const { problem, inFile } = file.error;
      return [{ variable, problem, example, ...(inFile && { inFile }) }];
    }
    const issues = (parsed.error?.issues ?? []).filter(({ path }) => path[0] === key);
    const placeholder = placeholderProblem(key, value ?? "");
    const reasons = new Set([
      // Our own rules already say why a variable is required.
      ...issues.map(({ code, message }) =>
        value === undefined && code !== "custom" ? required(key) : message,
      ),
      ...(placeholder === null ? [] : [placeholder]),
    ]);
    if (reasons.size === 0) return [];
    const problem = [...reasons].join("; ");
    return file === undefined
      ? [{ variable, problem, example }]
      : [{ variable, problem: `names a file whose content ${problem}`, example, inFile: true }];
  });
  if (unknownAreProblems) problems.push(...unknownNames(set));
  const warnings = inputs.flatMap(({ key, file }) =>
    file?.isOk() && file.value.warning !== null ? [`${fileVariable(ENV[key])}: ${file.value.warning}`] : [],
  );
  return parsed.success && problems.length === 0 ? ok({ values: parsed.data, warnings }) : err(problems);
};

/**
 * Parses the environment variables of the server, which `postern.env.example` lists. An empty variable counts as unset. A
 * variable that begins with `POSTERN_` and is not listed is a problem; others are ignored. Reads the secret files named by
 * `POSTERN_LINK_SECRET_FILE` and the like, and the logo, and no other files; opens no connections.
 *
 * @returns the configuration for `startServer`, or everything that is wrong, in the order of that file
 * @example
 * ```ts
 * const configuration = readConfiguration(process.env);
 * if (configuration.isErr()) {
 *   for (const { variable, problem } of configuration.error) console.error(`${variable} ${problem}`);
 * }
 * ```
 */
export const readConfiguration = (environment: Environment): Result<Configuration, Problems> =>
  read(withRules(Variables), environment).map(({ values, warnings }) => ({
    ...configurationOf(values),
    warnings,
  }));

/** Some variables, even if others are invalid. */
export const readVariables = <S extends z.ZodObject>(
  schema: S,
  environment: Environment,
): Result<z.output<S>, Problems> => read(schema, environment, false).map(({ values }) => values);

/** The part of the configuration that commands need. */
export const readCommandConfiguration = (
  environment: Environment,
): Result<CommandConfiguration, Problems> => {
  const some = <S extends z.ZodObject>(schema: S) => read(schema, environment).map(({ values }) => values);
  return some(withStoreRules(CommandVariables)).map((values) => ({
    ...values,
    reservedNames: reservedNamesOf(values),
    secrets: some(SecretVariables),
    mail: some(MailVariables).map(mailOf),
    accounts: some(AccountVariables).map(accountsOf),
    dkim: some(DkimVariables),
    published: some(PublishedVariables).map(publishedOf),
  }));
};
