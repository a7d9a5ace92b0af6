import { ContainerModule } from "inversify";
import { openDynamodb } from "../stores/dynamodb.ts";
import { tokens } from "../tokens.ts";

export const dynamodb = new ContainerModule(({ bind }) => {
  bind(tokens.openStore).toConstantValue(openDynamodb);
});
