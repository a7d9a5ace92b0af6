import { ContainerModule } from "inversify";
import { openSqlite } from "../stores/sqlite.ts";
import { tokens } from "../tokens.ts";

export const sqlite = new ContainerModule(({ bind }) => {
  bind(tokens.openStore).toConstantValue(openSqlite);
});
