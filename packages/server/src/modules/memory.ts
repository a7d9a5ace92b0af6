import { memoryStore } from "@postern/adapter-memory";
import { ContainerModule } from "inversify";
import { ok } from "neverthrow";
import { tokens } from "../tokens.ts";

export const memory = new ContainerModule(({ bind }) => {
  bind(tokens.openStore).toConstantValue(async () => ok({ ...memoryStore(), close: () => {} }));
});
