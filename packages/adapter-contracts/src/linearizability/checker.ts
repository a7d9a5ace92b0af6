import { isDeepStrictEqual } from "node:util";

/** The required behavior of calls that do not overlap. States and outputs are plain data. */
export type Model<State, Input, Output> = {
  readonly initial: State;
  apply(state: State, input: Input): { readonly state: State; readonly output: Output };
};

/** One call as its caller saw it. All times are from one clock that never returns the same time twice. */
export type Call<Input, Output> = {
  readonly process: string;
  readonly input: Input;
  readonly called: number;
  /** Null if the caller never learned the outcome: the call may take effect at any later time, or never. */
  readonly result: { readonly output: Output; readonly returned: number } | null;
};

export type Verdict<Input, Output> =
  | { readonly linearizable: true; readonly order: readonly Call<Input, Output>[] }
  | { readonly linearizable: false; readonly counterexample: string };

const returnOf = <Input, Output>({ result }: Call<Input, Output>): number => result?.returned ?? Infinity;

/** The calls that may take effect next: those made before any other call of `open` returned. */
const candidates = <Input, Output>(open: readonly Call<Input, Output>[]): Call<Input, Output>[] => {
  const firstReturn = Math.min(...open.map(returnOf));
  return open.filter(({ called }) => called < firstReturn);
};

/**
 * Whether the calls can be ordered so that each takes effect between its call and its return, and the model produces
 * the outputs that were returned. The search follows Wing and Gong ("Testing and Verifying Concurrent Objects", 1993)
 * and, like Lowe ("Testing for Linearizability", 2017), never visits the same state with the same remaining calls
 * twice.
 */
export const checkLinearizable = <State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Call<Input, Output>[],
): Verdict<Input, Output> => {
  type Step = { readonly state: State; readonly order: readonly Call<Input, Output>[] };
  const seen = new Set<string>();
  let furthest: Step = { state: model.initial, order: [] };

  const explain = ({ state, order }: Step): Step | null => {
    const open = history.filter((call) => !order.includes(call));
    if (open.every(({ result }) => result === null)) return { state, order };
    const known = JSON.stringify([open.map((call) => history.indexOf(call)), state]);
    if (seen.has(known)) return null;
    seen.add(known);
    if (order.length > furthest.order.length) furthest = { state, order };
    for (const call of candidates(open)) {
      const next = model.apply(state, call.input);
      if (call.result !== null && !isDeepStrictEqual(next.output, call.result.output)) continue;
      const explained = explain({ state: next.state, order: [...order, call] });
      if (explained !== null) return explained;
    }
    return null;
  };

  const explained = explain(furthest);
  return explained === null
    ? { linearizable: false, counterexample: describe(model, history, furthest) }
    : { linearizable: true, order: explained.order };
};

const show = <Input, Output>({ process, input, called, result }: Call<Input, Output>): string => {
  const ends = result === null ? "?" : String(result.returned);
  const output = result === null ? "(unknown)" : JSON.stringify(result.output);
  return `${`${called}–${ends}`.padEnd(8)} ${process}  ${JSON.stringify(input)} → ${output}`;
};

/** The history, the longest order that explains part of it, and why no call can come next. */
const describe = <State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Call<Input, Output>[],
  { state, order }: { readonly state: State; readonly order: readonly Call<Input, Output>[] },
): string => {
  const stuck = candidates(history.filter((call) => !order.includes(call))).map((call) => {
    const { output } = model.apply(state, call.input);
    return `${show(call)}\n           would be → ${JSON.stringify(output)}`;
  });
  return [
    "No order of these calls explains their outputs:",
    ...history.toSorted((a, b) => a.called - b.called).map(show),
    "The longest order that explains a part:",
    ...order.map(show),
    `leads to ${JSON.stringify(state)}, and one of these must come next:`,
    ...stuck,
  ].join("\n");
};
