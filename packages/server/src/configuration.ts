import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { descriptions, Variables } from "./variables.ts";

/** All that an operator decides, under names of the domain's. */
export type Configuration = ReturnType<typeof named>;

/** What is wrong with a variable, in an operator's words. Never holds the value: it may be a secret. */
export type ConfigurationProblem = {
  readonly variable: string;
  readonly problem: string;
  readonly example: string;
};

const named = (variables: z.output<typeof Variables>) => ({
  host: variables.HOST,
  port: variables.PORT,
  store: variables.POSTERN_STORE,
  issuer: variables.POSTERN_ISSUER,
  audience: variables.POSTERN_AUDIENCE,
  jwksUri: variables.POSTERN_JWKS_URI,
  aliasDomains: variables.POSTERN_ALIAS_DOMAINS,
  publicUrl: variables.POSTERN_PUBLIC_URL,
  linkSecrets: variables.POSTERN_LINK_SECRET,
  smtpUrl: variables.POSTERN_SMTP_URL,
  mailFrom: variables.POSTERN_MAIL_FROM,
  corsOrigins: variables.POSTERN_CORS_ORIGINS,
  logLevel: variables.POSTERN_LOG_LEVEL,
});

/** Reads the configuration, or says everything that is wrong with it. An empty variable counts as not set. */
export const readConfiguration = (
  environment: Readonly<Record<string, string | undefined>>,
): Result<Configuration, readonly ConfigurationProblem[]> => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = Variables.safeParse(set);
  if (parsed.success) return ok(named(parsed.data));

  const wrong = z.flattenError(parsed.error).fieldErrors;
  return err(
    descriptions.flatMap(({ name, example }) => {
      const reasons = wrong[name];
      if (reasons === undefined) return [];
      const problem = set[name] === undefined ? "is required" : [...new Set(reasons)].join("; ");
      return [{ variable: name, problem, example }];
    }),
  );
};
