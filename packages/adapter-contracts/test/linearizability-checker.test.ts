import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Call, checkLinearizable } from "./support/linearizability-checker.ts";
import {
  type AliasCall,
  type AliasOutput,
  type AliasState,
  aliasModel,
} from "./support/linearizability-model.ts";
import { splitRefusals } from "./support/linearizability-refusals.ts";

type History = readonly Call<AliasCall, AliasOutput>[];

const start: AliasState = {
  version: 1,
  list: ["A"],
  count: 0,
  erased: false,
  recipients: { A: "active", B: "active", C: "inactive" },
};
const model = aliasModel(start);

const replace = (...list: string[]): AliasCall => ({ call: "replace", list });
const read: AliasCall = { call: "read" };
const on = (call: "activate" | "deactivate" | "remove" | "look", recipient: string): AliasCall => ({
  call,
  recipient,
});
const report: AliasCall = { call: "report" };
const erase: AliasCall = { call: "erase" };
const alias = (version: number, ...list: string[]): AliasOutput => ({ version, list });
const seen = (version: number, ...list: string[]): AliasOutput => ({ version, list, count: 0 });

const call = (called: number, returned: number, input: AliasCall, output: AliasOutput) => ({
  process: "p",
  input,
  called,
  result: { output, returned },
});
const unknown = (called: number, input: AliasCall) => ({ process: "p", input, called, result: null });

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

  // Half a billion orders, but only a few thousand distinct states.
  test("an impossible output among twelve concurrent calls, without trying every order", () => {
    const looks = Array.from({ length: 12 }, (_, i) =>
      call(i, 100 + i, on("look", "C"), { active: false, attached: 0 }),
    );
    expect(linearizable([...looks, call(50, 51, read, seen(9, "C"))])).toBe(false);
  });

  test("with a readable counterexample", () => {
    const verdict = checkLinearizable(model, [
      call(1, 2, replace("B"), alias(2, "B")),
      call(3, 4, read, seen(1, "A")),
    ]);
    expect(verdict).toEqual({
      linearizable: false,
      counterexample: [
        "No order of these calls explains their outputs:",
        '1–2      p  {"call":"replace","list":["B"]} → {"version":2,"list":["B"]}',
        '3–4      p  {"call":"read"} → {"version":1,"list":["A"],"count":0}',
        "The longest order that explains a part:",
        '1–2      p  {"call":"replace","list":["B"]} → {"version":2,"list":["B"]}',
        'leads to {"version":2,"list":["B"],"count":0,"erased":false,"recipients":{"A":"active","B":"active","C":"inactive"}}, and one of these must come next:',
        '3–4      p  {"call":"read"} → {"version":1,"list":["A"],"count":0}',
        '           would be → {"version":2,"list":["B"],"count":0}',
      ].join("\n"),
    });
  });
});

describe("a replace refused for reasons that held at different moments", () => {
  const refused = (...ineligible: string[]): History => [
    call(1, 6, replace("C", "A", "B"), { ineligible: ineligible.map((id) => ({ id, reason: "inactive" })) }),
    call(2, 3, on("activate", "C"), { active: true, attached: 0 }),
    call(4, 5, on("deactivate", "B"), { active: false, attached: 0 }),
  ];

  test("is rejected", () => {
    expect(linearizable(refused("C", "B"))).toBe(false);
  });

  test("is accepted recipient by recipient, unless a reason never held or the order differs", () => {
    expect(linearizable(splitRefusals(refused("C", "B")))).toBe(true);
    for (const never of [refused("C", "A"), refused("B", "C"), refused("A"), refused("D"), refused()]) {
      expect(linearizable(splitRefusals(never))).toBe(false);
    }
  });

  test("leaves other calls unchanged", () => {
    const history = [
      unknown(1, replace("C")),
      call(2, 3, replace("B"), alias(2, "B")),
      call(4, 5, read, seen(2, "B")),
    ];
    expect(splitRefusals(history)).toEqual(history);
  });
});

const id = fc.constantFrom("A", "B", "C");
const anyCall: fc.Arbitrary<AliasCall> = fc.oneof(
  fc.record({ call: fc.constant("replace"), list: fc.uniqueArray(id, { minLength: 1 }) }),
  fc.record({ call: fc.constantFrom("activate", "deactivate", "remove", "look"), recipient: id }),
  fc.constantFrom(read, read, report, erase),
);

type Outcome = "known" | "unknown" | "not applied";

/**
 * Calls executed one after the other; each appears to start up to `stretch` earlier and to end up to `stretch` later.
 */
const executed = (stretch: number, outcomes: readonly [Outcome, ...Outcome[]]) => {
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
const byTryingEveryOrder = (history: History): boolean => {
  const from = (state: AliasState, open: History): boolean =>
    open.every(({ result }) => result === null) ||
    open.some((next) => {
      const rest = open.filter((other) => other !== next);
      const { state: after, output } = model.apply(state, next.input);
      const inTime = rest.every(({ result }) => result === null || result.returned > next.called);
      const asReturned = next.result === null || isDeepStrictEqual(output, next.result.output);
      return inTime && asReturned && from(after, rest);
    });
  return from(start, history);
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
      expect(verdict).toBe(byTryingEveryOrder(exchanged));
    }),
    { numRuns: 500 },
  );
  expect(verdicts).toEqual(new Set([true, false]));
});
