import { checkTable, dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { ContainerModule } from "inversify";
import { err, ok } from "neverthrow";
import { dynamoLocation } from "../dynamo-location.ts";
import { tokens } from "../tokens.ts";

export const dynamodb = new ContainerModule(({ bind }) => {
  bind(tokens.openStore)
    .toResolvedValue(
      (configuration, clock, logger) => async () => {
        const { dynamodbTable: table } = configuration;
        const location = dynamoLocation(configuration);
        const differences = await checkTable(location, table);
        if (differences.isErr()) {
          const message = `The DynamoDB table ${table} cannot be used (${differences.error.reason})`;
          return err({ code: "cannot_open_store" as const, message });
        }
        for (const difference of differences.value) logger.warn({ table, difference }, "table differs");
        const onCorruptItem = (key: object) => logger.error({ table, key }, "item not understood");
        return ok(dynamoStore({ client: dynamoClient(location), table, clock, onCorruptItem }));
      },
      [tokens.configuration, tokens.clock, tokens.logger],
    )
    .inSingletonScope();
});
