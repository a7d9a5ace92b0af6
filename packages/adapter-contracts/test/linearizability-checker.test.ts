import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Call, checkLinearizable, type Model } from "../src/linearizability/checker.ts";
import type { History as Made, Operation } from "../src/linearizability/index.ts";
import {
  type AliasState,
  type World,
  type WorldCall,
  type WorldOutput,
  worldModel,
} from "../src/linearizability/model.ts";
import { type Outcome, splitParts } from "../src/linearizability/parts.ts";

type History = readonly Call<WorldCall, WorldOutput>[];

const start: World = {
  aliases: { shop: { version: 1, list: ["A"], active: true, deleted: false, count: 0 } },
  recipients: { A: "active", B: "active", C: "inactive" },
};
const model = worldModel(start);

const SHOP = { alias: "shop" } as const;
const ANY = { ...SHOP, ifMatch: null } as const;
const replace = (...list: string[]) => ({ call: "replace", ...ANY, list }) as const;
const read = { call: "read", ...SHOP } as const;
const on = (call: "activate" | "deactivate" | "remove" | "look", recipient: string) =>
  ({ call, recipient }) as const;
const report = { call: "report", ...SHOP } as const;
const erase = { call: "erase", ...SHOP } as const;
const remove = { call: "delete", ...ANY } as const;
const restore = (list: string[] | null = null) => ({ call: "restore", ...ANY, list }) as const;
const create = (...list: string[]) => ({ call: "create", alias: "news", list }) as const;
const alias = (version: number, ...list: string[]): WorldOutput => ({
  version,
  list,
  active: true,
  deleted: false,
});
const deleted = (version: number, ...list: string[]): WorldOutput => ({
  version,
  list,
  active: true,
  deleted: true,
});
const seen = (version: number, ...list: string[]): WorldOutput => ({
  version,
  list,
  active: true,
  deleted: false,
  count: 0,
});

const call = (called: number, returned: number, input: WorldCall, output: WorldOutput) => ({
  process: "p",
  input,
  called,
  result: { output, returned },
});
const unknown = (called: number, input: WorldCall) => ({ process: "p", input, called, result: null });

const linearizable = (history: History) => checkLinearizable(model, history).linearizable;

describe("accepts", () => {
  test.for<[string, History]>([
    ["nothing", []],
    ["calls one after the other", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, seen(2, "B"))]],
    [
      "two concurrent replaces, in the order of their versions",
      [call(1, 4, replace("B"), alias(3, "B")), call(2, 3, replace("B", "A"), alias(2, "B", "A"))],
    ],
    [
      "a read of the old list during a replace",
      [call(1, 4, replace("B"), alias(2, "B")), call(2, 3, read, seen(1, "A"))],
    ],
    [
      "a deactivation that makes a replace fail",
      [
        call(1, 4, replace("B"), { ineligible: [{ id: "B", reason: "inactive" }] }),
        call(2, 3, on("deactivate", "B"), { active: false, attached: 0 }),
      ],
    ],
    [
      "a report and a replace during an erasure",
      [
        call(1, 8, erase, "erased"),
        call(2, 3, report, "recorded"),
        call(4, 5, replace("B"), alias(2, "B")),
        call(6, 7, report, "alias_not_found"),
        call(9, 10, on("remove", "B"), "removed"),
      ],
    ],
    [
      "an unknown erasure that took effect late",
      [unknown(1, erase), call(2, 3, read, seen(1, "A")), call(4, 5, read, "alias_not_found")],
    ],
    [
      "an alias that is deleted and restored with other recipients while one is deactivated",
      [
        call(1, 8, remove, deleted(2, "A")),
        call(2, 7, restore(["B"]), alias(3, "B")),
        call(3, 6, on("deactivate", "A"), { active: false, attached: 0 }),
        call(9, 10, restore(), alias(3, "B")),
      ],
    ],
    [
      "two creations with one address, and its recipient",
      [
        call(1, 4, create("B"), "address_taken"),
        call(2, 3, create("B", "A"), alias(1, "B", "A")),
        call(5, 6, on("look", "A"), { active: true, attached: 2 }),
      ],
    ],
    [
      "two updates of one version, one of which is refused",
      [
        call(1, 4, { ...replace("B"), ifMatch: 1 }, "precondition_failed"),
        call(
          2,
          3,
          { call: "switch", ...SHOP, ifMatch: 1, active: false },
          { version: 2, list: ["A"], active: false, deleted: false },
        ),
      ],
    ],
    ["an unknown call that took effect", [unknown(1, replace("B")), call(2, 3, read, seen(2, "B"))]],
    ["an unknown call that did not take effect", [unknown(1, replace("B")), call(2, 3, read, seen(1, "A"))]],
    [
      "an unknown call that took effect late",
      [
        unknown(1, replace("B")),
        call(2, 3, read, seen(1, "A")),
        call(4, 5, on("look", "B"), { active: true, attached: 1 }),
      ],
    ],
    [
      "two unknown calls that took effect in the order they were made",
      [unknown(1, replace("B")), unknown(2, replace("A", "B")), call(3, 4, read, seen(3, "A", "B"))],
    ],
    [
      "two unknown calls that took effect in the other order",
      [unknown(1, replace("B")), unknown(2, replace("A", "B")), call(3, 4, read, seen(3, "B"))],
    ],
  ])("%s", ([, history]) => {
    expect(checkLinearizable(model, history)).toMatchObject({ linearizable: true });
  });
});

describe("rejects", () => {
  test.for<[string, History]>([
    [
      "a lost update",
      [call(1, 4, replace("B"), alias(2, "B")), call(2, 3, replace("B", "A"), alias(2, "B", "A"))],
    ],
    ["a stale read", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, seen(1, "A"))]],
    [
      "a list that reverts",
      [
        call(1, 6, replace("B"), alias(2, "B")),
        call(2, 3, read, seen(2, "B")),
        call(4, 5, read, seen(1, "A")),
      ],
    ],
    [
      "a mix of two lists",
      [
        call(1, 4, replace("B"), alias(2, "B")),
        call(2, 5, replace("A", "B"), alias(3, "A", "B")),
        call(6, 7, read, seen(3, "B", "A")),
      ],
    ],
    ["an empty list", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, seen(2))]],
    ["an inactive recipient attached", [call(1, 2, replace("C"), alias(2, "C"))]],
    [
      "a recipient deactivated while it is attached",
      [
        call(1, 2, replace("B"), alias(2, "B")),
        call(3, 4, on("deactivate", "B"), { active: false, attached: 0 }),
      ],
    ],
    [
      "a recipient removed and attached concurrently",
      [call(1, 4, replace("B"), alias(2, "B")), call(2, 3, on("remove", "B"), "removed")],
    ],
    [
      "a count that drifted",
      [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, on("look", "A"), { active: true, attached: 1 })],
    ],
    [
      "an unknown call that took effect twice",
      [
        unknown(1, replace("B")),
        call(2, 3, read, seen(2, "B")),
        call(4, 5, replace("A"), alias(3, "A")),
        call(6, 7, read, seen(4, "B")),
      ],
    ],
    [
      "an unknown call that took effect before it was made",
      [call(1, 2, read, seen(2, "B")), unknown(3, replace("B"))],
    ],
    ["an event counted for an erased alias", [call(1, 2, erase, "erased"), call(3, 4, report, "recorded")]],
    [
      "an alias that reappears after its erasure",
      [call(1, 2, erase, "erased"), call(3, 4, read, seen(1, "A"))],
    ],
    ["an alias erased twice", [call(1, 3, erase, "erased"), call(2, 4, erase, "erased")]],
    [
      "a recipient that stays attached after the erasure",
      [call(1, 2, erase, "erased"), call(3, 4, on("look", "A"), { active: true, attached: 1 })],
    ],
    [
      "an address with two aliases",
      [call(1, 4, create("B"), alias(1, "B")), call(2, 3, create("A"), alias(1, "A"))],
    ],
    [
      "an address that is free again",
      [call(1, 2, create("B"), alias(1, "B")), call(3, 4, create("A"), alias(1, "A"))],
    ],
    [
      "a restored alias with an inactive recipient",
      [
        call(1, 2, remove, deleted(2, "A")),
        call(3, 4, on("deactivate", "A"), { active: false, attached: 0 }),
        call(5, 6, restore(), alias(3, "A")),
      ],
    ],
    [
      "two updates of one version",
      [
        call(1, 4, { ...replace("B"), ifMatch: 1 }, alias(2, "B")),
        call(2, 3, { ...replace("B", "A"), ifMatch: 1 }, alias(3, "B", "A")),
      ],
    ],
    [
      "a deleted alias that keeps its recipient",
      [call(1, 2, remove, deleted(2, "A")), call(3, 4, on("deactivate", "A"), "recipient_attached")],
    ],
    [
      "a deleted alias that is changed",
      [call(1, 2, remove, deleted(2, "A")), call(3, 4, replace("B"), alias(3, "B"))],
    ],
    [
      "an alias that is gone before its recipient is detached",
      [
        call(1, 6, erase, "erased"),
        call(2, 3, read, "alias_not_found"),
        call(4, 5, on("look", "A"), { active: true, attached: 1 }),
      ],
    ],
    ["a lost event", [call(1, 2, report, "recorded"), call(3, 4, read, seen(1, "A"))]],
    [
      "an unknown call that took effect in part",
      [
        unknown(1, replace("B")),
        call(2, 3, read, seen(2, "B")),
        call(4, 5, on("look", "B"), { active: true, attached: 0 }),
      ],
    ],
  ])("%s", ([, history]) => {
    expect(checkLinearizable(model, history)).toMatchObject({ linearizable: false });
  });

  test("with a readable counterexample", () => {
    const verdict = checkLinearizable(model, [
      call(1, 2, erase, "erased"),
      call(3, 4, on("look", "A"), { active: true, attached: 1 }),
    ]);
    expect(verdict).toEqual({
      linearizable: false,
      counterexample: [
        "No order of these calls explains their outputs:",
        '1–2      p  {"call":"erase","alias":"shop"} → "erased"',
        '3–4      p  {"call":"look","recipient":"A"} → {"active":true,"attached":1}',
        "The longest order that explains a part:",
        '1–2      p  {"call":"erase","alias":"shop"} → "erased"',
        'leads to {"aliases":{"shop":"erased"},"recipients":{"A":"active","B":"active","C":"inactive"}}, and one of these must come next:',
        '3–4      p  {"call":"look","recipient":"A"} → {"active":true,"attached":1}',
        '           would be → {"active":true,"attached":0}',
      ].join("\n"),
    });
  });
});

/** A counter that returns its new value; it can be cleared, and is never negative. */
const counter: Model<number, number | "clear", number> = {
  initial: 0,
  isRead: (add) => add === 0,
  apply: (state, add) => {
    const next = add === "clear" ? 0 : Math.max(0, state + add);
    return { state: next, output: next };
  },
};
type Change = Call<number | "clear", number>;

describe("the search", () => {
  /**
   * Calls that took effect one after the other, 10 apart, and were called `before` that and returned `after` it. Some outputs are
   * unknown, some of those calls took no effect, and some outputs are wrong.
   */
  const histories = fc
    .array(
      fc.record({
        input: fc.constantFrom<number | "clear">(0, 1, 2, -1, "clear"),
        before: fc.integer({ min: 1, max: 45 }),
        after: fc.integer({ min: 1, max: 45 }),
        seen: fc.constantFrom("right", "right", "right", "right", "wrong", "unknown", "lost"),
      }),
      { maxLength: 6 },
    )
    .map((calls) => {
      let state = 0;
      return calls.map(({ input, before, after, seen }, n): Change => {
        const next = counter.apply(state, input);
        if (seen !== "lost") state = next.state;
        const output = seen === "wrong" ? next.output + 1 : next.output;
        // No time occurs twice.
        const at = (time: number) => (n * 10 + time) * 20 + n;
        return {
          process: "p",
          input,
          called: at(-before),
          result: seen === "unknown" || seen === "lost" ? null : { output, returned: at(after) + 10 },
        };
      });
    });

  test("decides like a search that tries every order", () => {
    const decided = { true: 0, false: 0 };
    fc.assert(
      fc.property(histories, (history) => {
        const { linearizable } = checkLinearizable(counter, history);
        decided[`${linearizable}`] += 1;
        expect(linearizable).toBe(byTryingEveryOrder(counter, history));
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(decided.true, decided.false)).toBeGreaterThan(300);
  });

  const NUMBERS = Array.from({ length: 40 }, (_, n) => n);

  /** How many steps of the model it takes to decide about the history. */
  const steps = (history: readonly Change[], linearizable: boolean): number => {
    let applied = 0;
    const counting: typeof counter = {
      ...counter,
      apply: (state, input) => {
        applied += 1;
        return counter.apply(state, input);
      },
    };
    expect(checkLinearizable(counting, history)).toHaveProperty("linearizable", linearizable);
    return applied;
  };
  const late = (input: number | "clear", output: number): Change => ({
    process: "p",
    input,
    called: 1_000,
    result: { output, returned: 1_001 },
  });

  // 40 factorial orders, and 2 to the power of 40 choices of those that took effect.
  test("takes few steps with many concurrent calls that only read, or are unknown and equal or without effect", () => {
    const unknown = (input: (n: number) => number) =>
      NUMBERS.map((n): Change => ({ process: "p", input: input(n), called: n, result: null }));
    const equal = unknown(() => 1);
    expect(steps([...equal, late(0, 40)], true)).toBeLessThan(2_000);
    expect(steps([...equal, late(0, 41)], false)).toBeLessThan(2_000);
    const withoutEffect = unknown((n) => -n);
    expect(steps([...withoutEffect, late(0, 1)], false)).toBeLessThan(2_000);
    const reads = NUMBERS.map(
      (n): Change => ({ process: "p", input: 0, called: n, result: { output: 0, returned: 100 + n } }),
    );
    expect(steps([...reads, late(0, 1)], false)).toBeLessThan(2_000);
  });
});

const made = (called: number, returned: number, input: Operation, output: Outcome) => ({
  process: "p",
  input,
  called,
  result: { output, returned },
});

describe("a replace refused for reasons that held at different moments", () => {
  const refused = (...ineligible: string[]): Made => [
    made(1, 6, replace("C", "A", "B"), { ineligible: ineligible.map((id) => ({ id, reason: "inactive" })) }),
    made(2, 3, on("activate", "C"), { active: true, attached: 0 }),
    made(4, 5, on("deactivate", "B"), { active: false, attached: 0 }),
  ];
  const explained = (history: Made) => linearizable(splitParts(history, ["shop"]));

  test("is accepted recipient by recipient, unless a reason never held or the order differs", () => {
    expect(explained(refused("C", "B"))).toBe(true);
    for (const never of [refused("C", "A"), refused("B", "C"), refused("A"), refused("D"), refused()]) {
      expect(explained(never)).toBe(false);
    }
  });

  test("is rejected if the alias was deleted the whole time", () => {
    const history = [made(-3, -2, remove, deleted(2, "A")), ...refused("C", "B")];
    expect(explained(history)).toBe(false);
    expect(explained([...history, made(2, 3, restore(), alias(3, "A"))])).toBe(true);
  });

  test("leaves other calls unchanged", () => {
    const history = [
      { process: "p", input: replace("C"), called: 1, result: null },
      made(2, 3, replace("B"), alias(2, "B")),
      made(4, 5, report, "recorded"),
    ];
    expect(splitParts(history, ["shop"])).toEqual(history);
  });
});

describe("an alias that was read", () => {
  const during: Made = [
    made(2, 3, replace("B"), alias(2, "B")),
    made(4, 5, report, "recorded"),
    made(6, 7, report, "recorded"),
  ];
  const state = (version: number, list: string[], count: number) => ({
    version,
    list,
    active: true,
    deleted: false,
    count,
  });
  const explained = (output: AliasState, called = 1, returned = 8) =>
    linearizable(splitParts([...during, made(called, returned, read, output)], ["shop"]));

  test("its settings and its counter can be from different moments", () => {
    expect(explained(state(1, ["A"], 0))).toBe(true);
    expect(explained(state(1, ["A"], 2))).toBe(true);
    expect(explained(state(2, ["B"], 0))).toBe(true);
    expect(explained(state(2, ["B"], 3))).toBe(false);
    expect(explained(state(2, ["A"], 1))).toBe(false);
  });

  test("neither is from before the call", () => {
    expect(explained(state(2, ["B"], 2), 8, 9)).toBe(true);
    expect(explained(state(2, ["B"], 1), 8, 9)).toBe(false);
    expect(explained(state(1, ["A"], 2), 8, 9)).toBe(false);
  });
});

describe("a restoration refused because of a recipient", () => {
  test("is rejected if the alias was never deleted", () => {
    const refused = made(1, 6, restore(), { ineligible: [{ id: "A", reason: "inactive" }] });
    const off = made(4, 5, on("deactivate", "A"), { active: false, attached: 0 });
    const explained = (...others: Made) => linearizable(splitParts([refused, ...others], ["shop"]));
    expect(explained(made(2, 3, replace("B"), alias(2, "B")), off)).toBe(false);
    expect(explained(made(2, 3, remove, deleted(2, "A")), off)).toBe(true);
  });
});

describe("a reassignment", () => {
  const reassign = { call: "reassign", recipient: "A", to: "B" } as const;
  const both = made(1, 2, create("A"), alias(1, "A"));
  const explained = (...history: Made) => linearizable(splitParts(history, ["shop", "news"]));
  const result = (reassigned: string[], remaining: number, complete = true) => ({
    reassigned,
    remaining,
    complete,
  });

  test("changes one alias after the other", () => {
    const seenBetween = made(5, 6, on("look", "A"), { active: true, attached: 1 });
    expect(explained(both, made(3, 8, reassign, result(["news", "shop"], 0)), seenBetween)).toBe(true);
    expect(explained(both, made(3, 8, reassign, result(["news"], 1)), seenBetween)).toBe(true);
    expect(explained(both, made(3, 8, reassign, result(["news"], 2)), seenBetween)).toBe(true);
    expect(explained(both, made(3, 4, reassign, result(["news"], 1)), made(5, 6, read, seen(2, "B")))).toBe(
      false,
    );
    expect(explained(both, made(3, 4, reassign, result(["news", "shop"], 0)), seenBetween)).toBe(false);
  });

  test("does not claim what it has not changed", () => {
    expect(
      explained(both, made(3, 4, replace("B"), alias(2, "B")), made(5, 6, reassign, result(["shop"], 1))),
    ).toBe(false);
  });

  test("may have changed any alias if its outcome is unknown, and any other one if it was interrupted", () => {
    const unknown = { process: "p", input: reassign, called: 3, result: null };
    const interrupted = made(3, 4, reassign, result(["news"], 1, false));
    for (const attempt of [unknown, interrupted]) {
      expect(explained(both, attempt, made(5, 6, read, seen(2, "B")))).toBe(true);
      expect(explained(both, attempt, made(5, 6, read, seen(1, "A")))).toBe(true);
      expect(explained(both, attempt, made(5, 6, read, seen(2, "A", "B")))).toBe(false);
    }
  });

  test("is refused if the other recipient could not be attached at some moment", () => {
    const refused = made(1, 4, { ...reassign, to: "C" }, { ineligible: [{ id: "C", reason: "inactive" }] });
    expect(explained(refused)).toBe(true);
    expect(explained(made(-2, -1, on("activate", "C"), { active: true, attached: 0 }), refused)).toBe(false);
    expect(explained(made(1, 2, reassign, "recipient_not_found"))).toBe(false);
  });
});

const id = fc.constantFrom("A", "B", "C");
const list = fc.uniqueArray(id, { minLength: 1 });
const anyCall: fc.Arbitrary<WorldCall> = fc.oneof(
  list.map((ids) => replace(...ids)),
  list.map((ids) => create(...ids)),
  fc.option(list).map((ids) => restore(ids)),
  fc.record({ call: fc.constantFrom("activate", "deactivate", "remove", "look"), recipient: id }),
  fc.constantFrom<WorldCall>(read, read, report, remove, erase),
);

type Known = "known" | "unknown" | "not applied";

/**
 * Calls executed one after the other; each appears to start up to `stretch` earlier and to end up to `stretch` later.
 */
const executed = (stretch: number, outcomes: readonly [Known, ...Known[]]) => {
  const distance = fc.integer({ min: 1, max: stretch });
  const made = fc.record({
    input: anyCall,
    early: distance,
    late: distance,
    outcome: fc.constantFrom(...outcomes),
  });
  return fc.array(made, { minLength: 1, maxLength: 14 }).map((calls): History => {
    let state = start;
    return calls.map(({ input, early, late, outcome }, i) => {
      const called = 100 * i - early;
      if (outcome === "not applied") return unknown(called, input);
      const next = model.apply(state, input);
      state = next.state;
      if (outcome === "unknown") return unknown(called, input);
      return call(called, 100 * i + late, input, next.output);
    });
  });
};

const MOSTLY_KNOWN = ["known", "known", "known", "unknown", "not applied"] as const;

/**
 * The definition itself: some order of all known and any of the unknown calls is consistent with the times and the
 * model.
 */
const byTryingEveryOrder = <State, Input, Output>(
  { initial, apply }: Model<State, Input, Output>,
  history: readonly Call<Input, Output>[],
): boolean => {
  const from = (state: State, open: readonly Call<Input, Output>[]): boolean =>
    open.every(({ result }) => result === null) ||
    open.some((next) => {
      const rest = open.filter((other) => other !== next);
      const { state: after, output } = apply(state, next.input);
      const inTime = rest.every(({ result }) => result === null || result.returned > next.called);
      const asReturned = next.result === null || isDeepStrictEqual(output, next.result.output);
      return inTime && asReturned && from(after, rest);
    });
  return from(initial, history);
};

test("accepts every real execution, no matter how much the calls overlap", () => {
  fc.assert(
    fc.property(executed(600, MOSTLY_KNOWN), (history) => {
      expect(linearizable(history)).toBe(true);
    }),
  );
});

test("rejects sequential calls if one returned a wrong output", () => {
  fc.assert(
    fc.property(executed(40, ["known"]), fc.nat(), (history, n) => {
      const wrong = history.map((each, i) =>
        i === n % history.length
          ? { ...each, result: { output: alias(99, "A"), returned: each.called + 80 } }
          : each,
      );
      expect(linearizable(wrong)).toBe(false);
    }),
  );
});

/** The history with the outputs of two calls swapped, if both have one. */
const exchange = (history: History, one: number, other: number): History => {
  const [a, b] = [history[one]?.result, history[other]?.result];
  if (a === null || b === null || a === undefined || b === undefined) return history;
  return history.map((each, i) => {
    if (i === one) return { ...each, result: { ...a, output: b.output } };
    return i === other ? { ...each, result: { ...b, output: a.output } } : each;
  });
};

test("agrees with trying every order, even when the outputs of two calls are swapped", () => {
  const verdicts = new Set<boolean>();
  fc.assert(
    fc.property(executed(400, MOSTLY_KNOWN), fc.nat(5), fc.nat(5), (history, one, other) => {
      const exchanged = exchange(history.slice(0, 6), one, other);
      const verdict = linearizable(exchanged);
      verdicts.add(verdict);
      expect(verdict).toBe(byTryingEveryOrder(model, exchanged));
    }),
    { numRuns: 500 },
  );
  expect(verdicts).toEqual(new Set([true, false]));
});
