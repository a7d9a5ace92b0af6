import { err, ok, type Result } from "@postern/core";
import { dynamoLocation } from "../stores/dynamo-location.ts";
import { explainTableError } from "../stores/explain-table-error.ts";
import type { Command } from "./command.ts";
import { storeFailed } from "./explain-cause.ts";
import { progress } from "./progress.ts";

const report = (name: string, differences: readonly string[]): Result<string, string> =>
  differences.length === 0
    ? ok(`The table ${name} is as required.`)
    : err(`The table ${name} is not as required:\n${differences.map((each) => `  ${each}`).join("\n")}`);

export const create: Command["run"] = async (configuration) => {
  const { dynamodbTable: name } = configuration;
  const { createTable } = await import("@postern/adapter-dynamodb");
  const differences = await createTable(dynamoLocation(configuration), name);
  if (differences.isErr()) return err(`${explainTableError(differences.error, configuration)}.`);
  return report(name, differences.value);
};

/** Not a difference: a check comes before the upgrade, the migration after it. */
const NOT_MIGRATED =
  "Searches have no index in it, and scan aliases instead: run `table migrate` once all servers have this version.";

export const check: Command["run"] = async (configuration) => {
  const { dynamodbTable: name } = configuration;
  const location = dynamoLocation(configuration);
  const { checkTable, dynamoClient, readTable } = await import("@postern/adapter-dynamodb");
  const differences = await checkTable(location, name);
  if (differences.isErr()) return err(`${explainTableError(differences.error, configuration)}.`);
  const reported = report(name, differences.value);
  const client = dynamoClient(location);
  const read = await readTable(client, name);
  client.destroy();
  // The differences can be why the table cannot be read.
  if (read.isErr()) return reported.andThen(() => err(`${explainTableError(read.error, configuration)}.`));
  if (read.value.searchable) return reported;
  const withNote = (text: string) => `${text}\n${NOT_MIGRATED}`;
  return reported.map(withNote).mapErr(withNote);
};

export const migrate: Command["run"] = async (configuration) => {
  const { dynamodbTable: name } = configuration;
  const { migrateTable } = await import("@postern/adapter-dynamodb");
  const aliases = progress("aliases migrated");
  const migrated = await migrateTable(dynamoLocation(configuration), name, ({ aliases: done }) =>
    aliases.reached(done),
  );
  aliases.end();
  if (migrated.isOk()) {
    const { aliases: done, erased, listed, searchable } = migrated.value;
    return ok(
      `The table ${name} is migrated. Aliases migrated now: ${done}, listed for their recipients: ${listed}, made searchable: ${searchable}. Aliases that older servers erased: ${erased}.`,
    );
  }
  const { error } = migrated;
  return err(
    error.code === "table_error"
      ? `${explainTableError(error, configuration)}.`
      : storeFailed(error, "repeat `table migrate`, which continues where it was interrupted"),
  );
};
