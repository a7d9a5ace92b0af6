import { type AliasDomains, EmailAddress, err, ok, type Result } from "@postern/core";
import type * as z from "zod";
import { mailPlaneNamed, withMailPlaneRules } from "./mail-plane.ts";
import { nearestName } from "./nearest-name.ts";
import { placeholderProblem } from "./placeholder.ts";
import { readSecretFile } from "./secret-file.ts";
import { isServiceLink } from "./service-link.ts";
import { descriptions, fileVariable, secretNames, Variables } from "./variables.ts";

/** Everything that an operator configures. */
export type Configuration = ReturnType<typeof named> & {
  /** What should be changed even though the server can start, such as a secret file that everybody may read. */
  readonly warnings: readonly string[];
};

/** Where the store is. */
export type StoreConfiguration = ReturnType<typeof storeNamed>;

/**
 * What commands need: where the store and the spool are; for `import` only, the alias domains and the names reserved on
 * them; and what only a few commands need, so that its absence is not an error for the others: the secrets, the settings
 * for sending verification mail, the key that signs mail, and what is published about this mail server.
 */
export type CommandConfiguration = StoreConfiguration & {
  readonly aliasDomains: AliasDomains | undefined;
  readonly reservedNames: readonly string[];
  readonly spoolPath: string;
  readonly secrets: Result<SecretConfiguration, readonly ConfigurationProblem[]>;
  readonly mail: Result<MailConfiguration, readonly ConfigurationProblem[]>;
  readonly dkim: Result<DkimConfiguration, readonly ConfigurationProblem[]>;
  readonly published: Result<PublishedConfiguration, readonly ConfigurationProblem[]>;
};

/** The secrets of links and of the mail ledger. */
type SecretConfiguration = ReturnType<typeof secretsNamed>;

/** Everything that sending verification mail needs. */
export type MailConfiguration = ReturnType<typeof mailNamed>;

/** The key that signs mail, and where it is published. */
type DkimConfiguration = ReturnType<typeof dkimNamed>;

/** What DNS says about this mail server. */
export type PublishedConfiguration = ReturnType<typeof publishedNamed>;

/** A secret can be in a file instead. */
const required = (name: string): string =>
  secretNames.has(name) ? `is required, or ${fileVariable(name)}` : "is required";

/** The postgres store has no default location. Runs even if other variables are invalid, so that all problems are reported. */
const postgresNeedsUrl = <S extends z.ZodType<StoreLocated>>(schema: S): S =>
  schema.refine(
    ({ POSTERN_STORE: store, POSTERN_POSTGRES_URL: url }) => store !== "postgres" || url !== undefined,
    { path: ["POSTERN_POSTGRES_URL"], message: required("POSTERN_POSTGRES_URL"), when: () => true },
  );

type StoreLocated = Pick<z.output<typeof Variables>, "POSTERN_STORE" | "POSTERN_POSTGRES_URL">;

const StoreVariables = Variables.pick({
  POSTERN_STORE: true,
  POSTERN_SQLITE_PATH: true,
  POSTERN_POSTGRES_URL: true,
  POSTERN_POSTGRES_CA_PATH: true,
  POSTERN_POSTGRES_CONNECTIONS: true,
  POSTERN_POSTGRES_TIMEOUT_MS: true,
  POSTERN_DYNAMODB_TABLE: true,
  POSTERN_DYNAMODB_ENDPOINT: true,
  AWS_REGION: true,
});

const CommandVariables = StoreVariables.extend({
  POSTERN_ALIAS_DOMAINS: Variables.shape.POSTERN_ALIAS_DOMAINS.optional(),
  POSTERN_RESERVED_NAMES: Variables.shape.POSTERN_RESERVED_NAMES,
  POSTERN_MAIL_FROM: Variables.shape.POSTERN_MAIL_FROM.optional(),
  POSTERN_SPOOL_PATH: Variables.shape.POSTERN_SPOOL_PATH,
});

const SecretVariables = Variables.pick({ POSTERN_LINK_SECRET: true, POSTERN_MAILBOX_SECRET: true });

const MailVariables = SecretVariables.extend({
  ...Variables.pick({
    POSTERN_PUBLIC_URL: true,
    POSTERN_SMTP_URL: true,
    POSTERN_MAIL_FROM: true,
    POSTERN_MAX_VERIFICATION_MESSAGES: true,
  }).shape,
});

const DkimVariables = Variables.pick({
  POSTERN_ALIAS_DOMAINS: true,
  POSTERN_DKIM_KEY: true,
  POSTERN_DKIM_SELECTOR: true,
}).required();

/** The variables that determine which DNS records this mail server needs, as far as the server knows. */
export const PublishedVariables = DkimVariables.extend({
  POSTERN_MX_NAME: Variables.shape.POSTERN_MX_NAME.nonoptional(),
  POSTERN_RELAY_URL: Variables.shape.POSTERN_RELAY_URL,
  POSTERN_SMTP_URL: Variables.shape.POSTERN_SMTP_URL,
});

/** The variables with the address and the port of each listener. */
const API = ["HOST", "PORT"] as const;
const METRICS = ["POSTERN_METRICS_HOST", "POSTERN_METRICS_PORT"] as const;
const MX = ["POSTERN_MX_HOST", "POSTERN_MX_PORT"] as const;
type Listening = typeof API | typeof METRICS | typeof MX;

const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Two listeners cannot share a port on the same address. */
const apart = <S extends z.ZodType<z.output<typeof Variables>>>(
  schema: S,
  [ownHost, ownPort]: Listening,
  [otherHost, otherPort]: Listening,
): S =>
  schema.refine(
    ({ [ownHost]: host, [ownPort]: port, [otherHost]: other, [otherPort]: taken }) =>
      port !== taken ||
      port === 0 ||
      port === undefined ||
      (host !== other && ![host, other].some(isEveryAddress)),
    {
      path: [ownPort],
      message: `is the same as ${otherPort}: set a different one`,
      when: ({ issues }) =>
        !issues.some(({ path }) =>
          [ownHost, ownPort, otherHost, otherPort].some((name) => name === path?.[0]),
        ),
    },
  );

const ServerVariables = apart(
  apart(apart(withMailPlaneRules(postgresNeedsUrl(Variables)), METRICS, API), MX, API),
  MX,
  METRICS,
).refine(
  ({ POSTERN_AUTHORIZER: by, POSTERN_GATEWAY_SECRET: secret }) => by !== "gateway" || secret !== undefined,
  {
    path: ["POSTERN_GATEWAY_SECRET"],
    message: required("POSTERN_GATEWAY_SECRET"),
    // Runs even if other variables are invalid, so that all problems are reported.
    when: () => true,
  },
);

/** What is wrong with a variable. Never contains the value, which may be a secret. */
export type ConfigurationProblem = {
  readonly variable: string;
  /** Continues a sentence that starts with the name of the variable, such as "is required". */
  readonly problem: string;
  /** Absent if there is no such variable. */
  readonly example?: string;
};

const storeNamed = (variables: z.output<typeof StoreVariables>) => ({
  store: variables.POSTERN_STORE,
  sqlitePath: variables.POSTERN_SQLITE_PATH,
  postgresUrl: variables.POSTERN_POSTGRES_URL,
  postgresCaPath: variables.POSTERN_POSTGRES_CA_PATH,
  postgresConnections: variables.POSTERN_POSTGRES_CONNECTIONS,
  postgresTimeoutMs: variables.POSTERN_POSTGRES_TIMEOUT_MS,
  dynamodbTable: variables.POSTERN_DYNAMODB_TABLE,
  dynamodbEndpoint: variables.POSTERN_DYNAMODB_ENDPOINT,
  awsRegion: variables.AWS_REGION,
});

const secretsNamed = (variables: z.output<typeof SecretVariables>) => ({
  linkSecrets: variables.POSTERN_LINK_SECRET,
  mailboxSecret: variables.POSTERN_MAILBOX_SECRET,
});

const mailNamed = (variables: z.output<typeof MailVariables>) => ({
  ...secretsNamed(variables),
  publicUrl: variables.POSTERN_PUBLIC_URL,
  smtpUrl: variables.POSTERN_SMTP_URL,
  mailFrom: variables.POSTERN_MAIL_FROM,
  verificationMessages: variables.POSTERN_MAX_VERIFICATION_MESSAGES,
});

const dkimNamed = (variables: z.output<typeof DkimVariables>) => ({
  aliasDomains: variables.POSTERN_ALIAS_DOMAINS,
  dkimKey: variables.POSTERN_DKIM_KEY,
  dkimSelector: variables.POSTERN_DKIM_SELECTOR,
});

export const publishedNamed = (variables: z.output<typeof PublishedVariables>) => ({
  ...dkimNamed(variables),
  name: variables.POSTERN_MX_NAME,
  relayUrl: variables.POSTERN_RELAY_URL ?? variables.POSTERN_SMTP_URL,
});

/** The names that the operator adds, and the sender's: messages that bounce return to it, with their verification links. */
const reservedNamesOf = ({
  POSTERN_RESERVED_NAMES: own,
  POSTERN_MAIL_FROM: sender,
}: Pick<
  z.output<typeof CommandVariables>,
  "POSTERN_RESERVED_NAMES" | "POSTERN_MAIL_FROM"
>): readonly string[] => (sender === undefined ? own : [...own, EmailAddress.localPart(sender)]);

const named = (variables: z.output<typeof Variables>) => ({
  host: variables.HOST,
  port: variables.PORT,
  ...storeNamed(variables),
  issuer: variables.POSTERN_ISSUER,
  audience: variables.POSTERN_AUDIENCE,
  jwksUri: variables.POSTERN_JWKS_URI,
  /** The secret that proves that a request has passed the gateway. Undefined if this server verifies signatures itself. */
  gatewaySecret: variables.POSTERN_AUTHORIZER === "gateway" ? variables.POSTERN_GATEWAY_SECRET : undefined,
  aliasDomains: variables.POSTERN_ALIAS_DOMAINS,
  reservedNames: reservedNamesOf(variables),
  publicUrl: variables.POSTERN_PUBLIC_URL,
  ...secretsNamed(variables),
  smtpUrl: variables.POSTERN_SMTP_URL,
  mailFrom: variables.POSTERN_MAIL_FROM,
  /** Undefined if no mail is received and forwarded. */
  mailPlane: mailPlaneNamed(variables),
  /** Whether events are sent to webhooks. */
  webhooks: variables.POSTERN_WEBHOOKS,
  /** The name server to ask, with its port; undefined for the system's. */
  dns: variables.POSTERN_DNS,
  corsOrigins: variables.POSTERN_CORS_ORIGINS,
  rateLimit: variables.POSTERN_RATE_LIMIT,
  creationLimit: variables.POSTERN_CREATION_LIMIT,
  limits: {
    aliases: variables.POSTERN_MAX_ALIASES,
    recipients: variables.POSTERN_MAX_RECIPIENTS,
    unverifiedRecipients: variables.POSTERN_MAX_UNVERIFIED_RECIPIENTS,
    contacts: variables.POSTERN_MAX_CONTACTS,
    blockedSenders: variables.POSTERN_MAX_BLOCKED_SENDERS,
    verificationMessages: variables.POSTERN_MAX_VERIFICATION_MESSAGES,
  },
  redisUrl: variables.POSTERN_REDIS_URL,
  trustedProxies: variables.POSTERN_TRUSTED_PROXIES,
  logLevel: variables.POSTERN_LOG_LEVEL,
  accessLog: variables.POSTERN_ACCESS_LOG,
  metricsHost: variables.POSTERN_METRICS_HOST,
  metricsPort: variables.POSTERN_METRICS_PORT,
});

export type Environment = Readonly<Record<string, string | undefined>>;

const names = descriptions.map(({ name }) => name);

/** Variables with the server's prefix that the server does not read. */
const unknownNames = (set: Environment): readonly ConfigurationProblem[] =>
  Object.entries(set)
    .filter(([name]) => name.startsWith("POSTERN_") && !names.includes(name))
    .filter(([name, value = ""]) => !isServiceLink(name, value))
    .map(([variable]) => {
      const nearest = nearestName(variable, names);
      const suggestion = nearest === undefined ? "--help lists all" : `did you mean ${nearest}?`;
      return { variable, problem: `is not a variable; ${suggestion}` };
    });

/** The secrets among `wanted` that are in files. */
const readSecretFiles = (wanted: readonly string[], set: Environment) => {
  const secrets = new Map<string, string>();
  const problems = new Map<string, string>();
  const warnings: string[] = [];
  for (const name of wanted.filter((each) => secretNames.has(each))) {
    const variable = fileVariable(name);
    const path = set[variable];
    if (path === undefined) continue;
    if (set[name] !== undefined) {
      problems.set(variable, `and ${name} cannot both be set`);
      continue;
    }
    readSecretFile(path).match(
      ({ secret, warning }) => {
        secrets.set(name, secret);
        if (warning !== null) warnings.push(`${variable}: ${warning}`);
      },
      (problem) => problems.set(variable, problem),
    );
  }
  return { secrets, problems, warnings };
};

type Read<T> = { readonly variables: T; readonly warnings: readonly string[] };

/** The variables of `schema`, or everything that is wrong with them. An empty variable counts as unset. */
const read = <S extends z.ZodObject>(
  schema: S,
  environment: Environment,
  unknownAreProblems = true,
): Result<Read<z.output<S>>, readonly ConfigurationProblem[]> => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const wanted = Object.keys(schema.shape);
  const { secrets, problems: wrong, warnings } = readSecretFiles(wanted, set);
  const values: Environment = { ...set, ...Object.fromEntries(secrets) };

  const reasons = new Map<string, Set<string>>();
  const blame = (name: string, reason: string) =>
    reasons.set(name, (reasons.get(name) ?? new Set()).add(reason));
  const parsed = schema.safeParse(values);
  for (const { path, message, code } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    // Our own rules already say why a variable is required.
    blame(name, values[name] === undefined && code !== "custom" ? required(name) : message);
  }
  for (const name of wanted) {
    const placeholder = placeholderProblem(name, values[name] ?? "");
    if (placeholder !== null) blame(name, placeholder);
  }
  for (const [name, all] of reasons) {
    // If its file is wrong, there is no value to judge.
    if (wrong.has(fileVariable(name))) continue;
    const problem = [...all].join("; ");
    if (secrets.has(name)) wrong.set(fileVariable(name), `names a file whose content ${problem}`);
    else wrong.set(name, problem);
  }

  const known = descriptions.flatMap(({ name: variable, example }) => {
    const problem = wrong.get(variable);
    return problem === undefined ? [] : [{ variable, problem, example }];
  });
  const problems = [...known, ...(unknownAreProblems ? unknownNames(set) : [])];
  return parsed.success && problems.length === 0 ? ok({ variables: parsed.data, warnings }) : err(problems);
};

/**
 * Parses the environment variables of the server, which `postern.env.example` lists. An empty variable counts as unset. A
 * variable that begins with `POSTERN_` and is not listed is a problem; others are ignored. Reads the secret files named by
 * `POSTERN_LINK_SECRET_FILE` and the like, and no other files; opens no connections.
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
export const readConfiguration = (
  environment: Environment,
): Result<Configuration, readonly ConfigurationProblem[]> =>
  read(ServerVariables, environment).map(({ variables, warnings }) => ({ ...named(variables), warnings }));

/** The part of the configuration that commands need. */
export const readCommandConfiguration = (
  environment: Environment,
): Result<CommandConfiguration, readonly ConfigurationProblem[]> =>
  read(postgresNeedsUrl(CommandVariables), environment).map(({ variables }) => ({
    ...storeNamed(variables),
    aliasDomains: variables.POSTERN_ALIAS_DOMAINS,
    reservedNames: reservedNamesOf(variables),
    spoolPath: variables.POSTERN_SPOOL_PATH,
    secrets: read(SecretVariables, environment).map(({ variables }) => secretsNamed(variables)),
    mail: read(MailVariables, environment).map(({ variables }) => mailNamed(variables)),
    dkim: read(DkimVariables, environment).map(({ variables }) => dkimNamed(variables)),
    published: read(PublishedVariables, environment).map(({ variables }) => publishedNamed(variables)),
  }));

/** Some variables, even if others are invalid. */
export const readVariables = <S extends z.ZodObject>(
  schema: S,
  environment: Environment,
): Result<z.output<S>, readonly ConfigurationProblem[]> =>
  read(schema, environment, false).map(({ variables }) => variables);

/** Where the store is, even if other variables are invalid. */
export const readStoreConfiguration = (
  environment: Environment,
): Result<StoreConfiguration, readonly ConfigurationProblem[]> =>
  readVariables(postgresNeedsUrl(StoreVariables), environment).map(storeNamed);
