import { err, ok, type Result } from "@postern/core";
import type { Environment } from "../configuration/configuration.ts";
import { arnVariable, ENV, fileVariable } from "../configuration/names.ts";
import { isSecret, KEYS } from "../configuration/variables.ts";
import { readSecret } from "./read-secret.ts";

type Value = readonly [variable: string, value: string];

/** The variables in place of the one that names the secret `name`; none if there is no such variable. */
const replaced = async (
  environment: Environment,
  name: string,
): Promise<Result<readonly Value[], string>> => {
  const variable = arnVariable(name);
  const arn = environment[variable];
  if (!arn) return ok([]);
  const other = [name, fileVariable(name)].find((set) => environment[set]);
  if (other !== undefined) return err(`${variable} and ${other} cannot both be set`);
  const read = await readSecret(arn);
  return read
    .map((secret): readonly Value[] => [
      [variable, ""],
      [name, secret],
    ])
    .mapErr((reason) => `${variable} names a secret that cannot be read (${reason})`);
};

/**
 * These variables, with the value of a secret of AWS Secrets Manager in place of each variable that names one (`arnVariable`). The error is a
 * sentence without a period.
 */
export const withSecrets = async (environment: Environment): Promise<Result<Environment, string>> => {
  const secrets = KEYS.filter(isSecret).map((key) => replaced(environment, ENV[key]));
  let changed = environment;
  for (const read of await Promise.all(secrets)) {
    if (read.isErr()) return err(read.error);
    changed = { ...changed, ...Object.fromEntries(read.value) };
  }
  return ok(changed);
};
