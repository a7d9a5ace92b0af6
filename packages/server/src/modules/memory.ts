import { ContainerModule } from "inversify";
import { openMemory } from "../stores/memory.ts";
import { tokens } from "../tokens.ts";

export const memory = new ContainerModule(({ bind }) => {
  bind(tokens.openStore).toConstantValue(openMemory);
});
