import { checkTable, createTable } from "@postern/adapter-dynamodb";
import { err, ok } from "@postern/core";
import { dynamoLocation } from "../stores/dynamo-location.ts";
import { explainTableError } from "../stores/explain-table-error.ts";
import type { Command } from "./command.ts";

const actions = { create: createTable, check: checkTable } as const;

const isAction = (text: string | undefined): text is keyof typeof actions =>
  text !== undefined && Object.hasOwn(actions, text);

export const tableCommand: Command = {
  usage: "table create|check",
  meaning: "creates the DynamoDB table, or lists how it differs from the required one; safe to repeat",
  run: async (configuration, [action, ...more]) => {
    if (!isAction(action) || more.length > 0) return null;
    const { dynamodbTable: name } = configuration;
    const differences = await actions[action](dynamoLocation(configuration), name);
    if (differences.isErr()) return err(`${explainTableError(differences.error, configuration)}.`);
    if (differences.value.length === 0) return ok(`The table ${name} is as required.`);
    return err(
      `The table ${name} is not as required:\n${differences.value.map((each) => `  ${each}`).join("\n")}`,
    );
  },
};
