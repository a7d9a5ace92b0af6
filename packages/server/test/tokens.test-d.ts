/* Compiled, never run: what must not compile says so. */
import type { Clock, Ids } from "@postern/core";
import { ContainerModule } from "inversify";
import { tokens } from "../src/composition/tokens.ts";

export const right = new ContainerModule(({ bind }) => {
  bind(tokens.logger).toResolvedValue(() => null as never, []);
  bind(tokens.clock).toResolvedValue((_: Ids, clock: Clock): Clock => clock, [tokens.ids, tokens.clock]);
});

export const wrong = new ContainerModule(({ bind }) => {
  // @ts-expect-error what is bound is not a clock
  bind(tokens.clock).toResolvedValue((ids: Ids): Ids => ids, [tokens.ids]);
  // @ts-expect-error the dependency is not a clock
  bind(tokens.clock).toResolvedValue((clock: Clock): Clock => clock, [tokens.ids]);
  // @ts-expect-error dependencies are in the wrong order
  bind(tokens.clock).toResolvedValue((_: Ids, clock: Clock): Clock => clock, [tokens.clock, tokens.ids]);
  // @ts-expect-error a dependency is missing
  bind(tokens.clock).toResolvedValue((_: Ids, clock: Clock): Clock => clock, [tokens.ids]);
  // @ts-expect-error every dependency is missing
  bind(tokens.clock).toResolvedValue((clock: Clock): Clock => clock);
  // @ts-expect-error a constant of another type
  bind(tokens.clock).toConstantValue({ now: () => "noon", pause: async () => {} });
  // @ts-expect-error another token stands in for it
  bind(tokens.clock).toService(tokens.ids);
});
