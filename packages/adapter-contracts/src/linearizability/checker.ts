import { isDeepStrictEqual } from "node:util";

/** The required behavior of calls that do not overlap. States and outputs are plain data. */
export type Model<State, Input, Output> = {
  readonly initial: State;
  apply(state: State, input: Input): { readonly state: State; readonly output: Output };
  /** Whether the call never changes the state, whatever the state is. */
  isRead(input: Input): boolean;
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

/** From each group of calls with equal inputs, the one that was made first: at any later time they are interchangeable. */
const distinct = <Input, Output>(unknown: readonly Call<Input, Output>[]): Call<Input, Output>[] =>
  unknown
    .toSorted((a, b) => a.called - b.called)
    .filter(({ input }, n, all) => all.findIndex((call) => isDeepStrictEqual(call.input, input)) === n);

/**
 * Whether the calls can be ordered so that each takes effect between its call and its return, and the model produces
 * the outputs that were returned. The search follows Wing and Gong ("Testing and Verifying Concurrent Objects", 1993)
 * and, like Lowe ("Testing for Linearizability", 2017), never visits the same state with the same remaining calls
 * twice.
 *
 * Calls with unknown outcomes would make it exponential, so it tries as few orders as necessary: a read that can come next
 * comes next, because no other call depends on it; an unknown call comes next only if it changes something then; and among
 * unknown calls with equal inputs, only the first one does.
 */
export const checkLinearizable = <State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Call<Input, Output>[],
): Verdict<Input, Output> => {
  type Made = Call<Input, Output>;
  type Step = { readonly state: State; readonly order: readonly Made[] };
  const numbers = new Map(history.map((call, n) => [call, n]));
  const seen = new Set<string>();
  let furthest: Step = { state: model.initial, order: [] };

  const explain = ({ state, order }: Step, open: readonly Made[]): Step | null => {
    if (open.every(({ result }) => result === null)) return { state, order };
    const known = `${open.map((call) => numbers.get(call)).join()} ${JSON.stringify(state)}`;
    if (seen.has(known)) return null;
    seen.add(known);
    if (order.length > furthest.order.length) furthest = { state, order };

    const possible = candidates(open);
    const after = (call: Made) => ({ call, ...model.apply(state, call.input) });
    const continueWith = ({ call, state: next }: { readonly call: Made; readonly state: State }) =>
      explain(
        { state: next, order: [...order, call] },
        open.filter((other) => other !== call),
      );
    const returned = possible
      .filter(({ result }) => result !== null)
      .map(after)
      .filter(({ call, output }) => isDeepStrictEqual(output, call.result?.output));
    const read = returned.find(({ call }) => model.isRead(call.input));
    if (read !== undefined) return continueWith(read);

    const unknown = distinct(possible.filter(({ result }) => result === null))
      .map(after)
      .filter((next) => !isDeepStrictEqual(next.state, state));
    for (const next of [...returned, ...unknown]) {
      const explained = continueWith(next);
      if (explained !== null) return explained;
    }
    return null;
  };

  const explained = explain(furthest, history);
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
