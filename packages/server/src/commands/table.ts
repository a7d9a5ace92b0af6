import { checkTable, createTable } from "@postern/adapter-dynamodb";
import { err, ok } from "neverthrow";
import { dynamoLocation } from "../stores/dynamo-location.ts";
import type { Command } from "./command.ts";

const tables = { create: createTable, check: checkTable } as const;

const isAction = (text: string | undefined): text is keyof typeof tables =>
  text !== undefined && Object.hasOwn(tables, text);

export const table: Command = {
  usage: "table create|check",
  meaning: "makes the table of the dynamodb store, or names what differs from one; can be repeated",
  run: async (configuration, [action, ...more]) => {
    if (!isAction(action) || more.length > 0) return null;
    const { dynamodbTable: name } = configuration;
    const differences = await tables[action](dynamoLocation(configuration), name);
    if (differences.isErr()) return err(`DynamoDB: ${differences.error.reason}.`);
    if (differences.value.length === 0) return ok(`The table ${name} is as it should be.`);
    return err(`The table ${name} differs:\n${differences.value.map((each) => `  ${each}`).join("\n")}`);
  },
};
