import { err, ok, type Result } from "@postern/core";
import {
  type Configuration,
  type ConfigurationProblem,
  type Environment,
  readConfiguration,
} from "../configuration/configuration.ts";
import { ENV, fileVariable, type Key } from "../configuration/names.ts";
import { parseSesUrl, type SesUrl } from "../configuration/ses-url.ts";
import { exampleOf } from "../configuration/variables.ts";

/**
 * What only a server uses: a function listens on nothing, is found behind no other proxy, and has another way to export
 * metrics. What verifies tokens is always the gateway. `keysPort` is not among them: it belongs to `keysUrl`, which the API shows.
 */
const UNUSED: readonly Key[] = [
  ...(["host", "port", "trustedProxies", "metricsPort", "metricsHost"] as const),
  ...(["sqlitePath", "postgresUrl", "postgresCaPath", "postgresConnections", "postgresTimeoutMs"] as const),
  ...(["jwksUri", "authorizer", "gatewaySecret"] as const),
  ...(["mxPort", "mxHost", "mxTlsKey", "mxTlsCert", "mxRateLimit"] as const),
  ...(["spoolPath", "relayUrl", "dkimKey", "dkimSelector", "mailSize", "mailArc"] as const),
  ...(["deliveryNotices", "sesQueue"] as const),
  ...(["webPort", "webHost", "webClient", "webSignIn", "webTokenOrigin"] as const),
];

const UNUSED_NAMES: ReadonlySet<string> = new Set(
  UNUSED.flatMap((key) => [ENV[key], fileVariable(ENV[key])]),
);

/** What an operator configures for functions on AWS Lambda. */
export type FunctionConfiguration = Configuration & {
  readonly identity: NonNullable<Configuration["identity"]>;
  /** What sends verification mail. */
  readonly ses: SesUrl;
  /** The variables that are set and that functions do not use, as in an environment file of a server. */
  readonly unused: readonly string[];
};

type Problems = readonly ConfigurationProblem[];

const problemWith = (key: Key, problem: string): ConfigurationProblem => ({
  variable: ENV[key],
  problem,
  example: exampleOf(key),
});

/** Rules that only functions have. */
const problemsOf = ({ redisUrl, rateLimit, creationLimit, smtpUrl }: Configuration): Problems => {
  const problems: ConfigurationProblem[] = [];
  if (redisUrl === undefined && (rateLimit > 0 || creationLimit > 0)) {
    const instead = `set ${ENV.rateLimit} and ${ENV.creationLimit} to 0 if only the gateway limits requests`;
    problems.push(
      problemWith(
        "redisUrl",
        `is required, because each instance of a function would count alone; or ${instead}`,
      ),
    );
  }
  if (parseSesUrl(smtpUrl) === null) {
    const formats = "ses://REGION or ses://REGION?configuration-set=NAME";
    problems.push(problemWith("smtpUrl", `must be ${formats}: a function sends mail through SES only`));
  }
  return problems;
};

/**
 * Parses the environment variables of a function: those of the server, with the same meanings. `POSTERN_STORE` must be dynamodb, and
 * `POSTERN_SMTP_URL` SES. Without `POSTERN_REDIS_URL`, both limits per minute must be 0. Variables that only a server uses are not read.
 *
 * @returns the configuration, or everything that is wrong with it
 */
export const readFunctionConfiguration = (
  environment: Environment,
): Result<FunctionConfiguration, Problems> => {
  const variables = Object.entries(environment);
  const unused = variables.filter(([name, value]) => UNUSED_NAMES.has(name) && value !== "");
  const used = Object.fromEntries(variables.filter(([name]) => !UNUSED_NAMES.has(name)));
  // Another store would require variables that are not read.
  const read = readConfiguration({ ...used, [ENV.store]: "dynamodb" });
  const problems = [
    ...(used[ENV.store] === "dynamodb" ? [] : [problemWith("store", "must be dynamodb in a function")]),
    ...read.match(problemsOf, (problems) => problems),
  ];
  if (read.isErr() || problems.length > 0) return err(problems);
  const { identity, smtpUrl } = read.value;
  const ses = parseSesUrl(smtpUrl);
  // Never true: the rules have refused everything else.
  if (identity === null || ses === null) return err(problems);
  return ok({ ...read.value, identity, ses, unused: unused.map(([name]) => name) });
};
