import { memoryStore } from "@postern/adapter-memory";
import { ContainerModule } from "inversify";
import { tokens } from "../tokens.ts";

export const memory = new ContainerModule(({ bind }) => {
  bind(tokens.store).toResolvedValue(memoryStore).inSingletonScope();
});
