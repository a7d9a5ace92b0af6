/* Compiled, never run. The mistakes must not compile. */
import type { Postern, Store } from "@postern/core";
import { ContainerModule } from "inversify";
import { tokens } from "../src/composition/tokens.ts";

export const right = new ContainerModule(({ bind }) => {
  bind(tokens.logger).toResolvedValue(() => null as never, []);
  bind(tokens.store).toResolvedValue((_: Postern, it: Store): Store => it, [tokens.postern, tokens.store]);
});

export const wrong = new ContainerModule(({ bind }) => {
  // @ts-expect-error the value is not a store
  bind(tokens.store).toResolvedValue((it: Postern): Postern => it, [tokens.postern]);
  // @ts-expect-error the dependency is not a store
  bind(tokens.store).toResolvedValue((it: Store): Store => it, [tokens.postern]);
  // @ts-expect-error the dependencies are in the wrong order
  bind(tokens.store).toResolvedValue((_: Postern, it: Store): Store => it, [tokens.store, tokens.postern]);
  // @ts-expect-error a dependency is missing
  bind(tokens.store).toResolvedValue((_: Postern, it: Store): Store => it, [tokens.postern]);
  // @ts-expect-error every dependency is missing
  bind(tokens.store).toResolvedValue((it: Store): Store => it);
  // @ts-expect-error the constant is of another type
  bind(tokens.verificationMail).toConstantValue({ send: async () => "sent" });
  // @ts-expect-error the other token is of another type
  bind(tokens.store).toService(tokens.postern);
});
