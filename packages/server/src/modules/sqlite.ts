import { sqliteStore } from "@postern/adapter-sqlite";
import { ContainerModule } from "inversify";
import { tokens } from "../tokens.ts";

export const sqlite = new ContainerModule(({ bind }) => {
  bind(tokens.openStore)
    .toResolvedValue(
      ({ sqlitePath: path }, clock) =>
        async () =>
          sqliteStore({ path, clock }).mapErr(({ message }) => ({ code: "cannot_open_store", message })),
      [tokens.configuration, tokens.clock],
    )
    .inSingletonScope();
});
