import type { Postern, Store } from "@postern/core";
import type { TestPorts } from "@postern/core/testing";
import type * as fc from "fast-check";
import { expectAgreement } from "./agreement.ts";
import type { Model } from "./model.ts";

export type Real = { readonly store: Store; readonly service: Postern; readonly ports: TestPorts };

export type Command = fc.AsyncCommand<Model, Real>;

/** Compares store and model after the command. `label` is what a failing run prints. */
export const command = (label: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    await expectAgreement(model, real.service);
  },
  toString: () => label,
});

export const wait = (milliseconds: number): Command =>
  command(`wait ${milliseconds} ms`, async (_, { ports }) => ports.clock.advance(milliseconds));
