import { err, ok } from "@postern/core";
import { dynamoLocation } from "../stores/dynamo-location.ts";
import { explainTableError } from "../stores/explain-table-error.ts";
import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { storeFailed } from "./explain-cause.ts";
import { progress } from "./progress.ts";

const shape =
  (action: "createTable" | "checkTable"): Command["run"] =>
  async (configuration, args) => {
    if (args.length > 0) return null;
    const { dynamodbTable: name } = configuration;
    const { [action]: act } = await import("@postern/adapter-dynamodb");
    const differences = await act(dynamoLocation(configuration), name);
    if (differences.isErr()) return err(`${explainTableError(differences.error, configuration)}.`);
    if (differences.value.length === 0) return ok(`The table ${name} is as required.`);
    return err(
      `The table ${name} is not as required:\n${differences.value.map((each) => `  ${each}`).join("\n")}`,
    );
  };

const migrate: Command["run"] = async (configuration, args) => {
  if (args.length > 0) return null;
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

export const tableCommand: Command = {
  usage: "table create|check|migrate",
  meaning:
    "creates the DynamoDB table, lists how it differs from the required one, or brings items of older versions up to date; safe to repeat",
  run: actions({ create: shape("createTable"), check: shape("checkTable"), migrate }),
};
