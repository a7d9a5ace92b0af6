import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Call, checkLinearizable } from "./support/linearizability.ts";
import {
  type AliasAnswer,
  type AliasCall,
  type AliasState,
  aliasModel,
} from "./support/linearizability-model.ts";
import { splitRefusals } from "./support/linearizability-refusals.ts";

type History = readonly Call<AliasCall, AliasAnswer>[];

const start: AliasState = {
  version: 1,
  list: ["A"],
  recipients: { A: "active", B: "active", C: "inactive" },
};
const model = aliasModel(start);

const replace = (...list: string[]): AliasCall => ({ call: "replace", list });
const read: AliasCall = { call: "read" };
const on = (call: "activate" | "deactivate" | "remove" | "look", recipient: string): AliasCall => ({
  call,
  recipient,
});
const alias = (version: number, ...list: string[]): AliasAnswer => ({ version, list });

const call = (called: number, returned: number, input: AliasCall, output: AliasAnswer) => ({
  process: "p",
  input,
  called,
  answer: { output, returned },
});
const unknown = (called: number, input: AliasCall) => ({ process: "p", input, called, answer: null });

const linearizable = (history: History) => checkLinearizable(model, history).linearizable;

describe("accepts", () => {
  test.for<[string, History]>([
    ["nothing", []],
    ["calls one after the other", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, alias(2, "B"))]],
    [
      "two replaces at once, in the order that their versions tell",
      [call(1, 4, replace("B"), alias(3, "B")), call(2, 3, replace("B", "A"), alias(2, "B", "A"))],
    ],
    [
      "a read of the old list while a replace is under way",
      [call(1, 4, replace("B"), alias(2, "B")), call(2, 3, read, alias(1, "A"))],
    ],
    [
      "a deactivation that lets a replace fail",
      [
        call(1, 4, replace("B"), { ineligible: [{ id: "B", reason: "inactive" }] }),
        call(2, 3, on("deactivate", "B"), { active: false, attached: 0 }),
      ],
    ],
    ["an unknown call that took effect", [unknown(1, replace("B")), call(2, 3, read, alias(2, "B"))]],
    ["an unknown call that did not", [unknown(1, replace("B")), call(2, 3, read, alias(1, "A"))]],
    [
      "an unknown call that took effect late",
      [
        unknown(1, replace("B")),
        call(2, 3, read, alias(1, "A")),
        call(4, 5, on("look", "B"), { active: true, attached: 1 }),
      ],
    ],
    [
      "two unknown calls that took effect in the order they were made",
      [unknown(1, replace("B")), unknown(2, replace("A", "B")), call(3, 4, read, alias(3, "A", "B"))],
    ],
    [
      "two unknown calls that took effect in the other order",
      [unknown(1, replace("B")), unknown(2, replace("A", "B")), call(3, 4, read, alias(3, "B"))],
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
    ["a stale read", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, alias(1, "A"))]],
    [
      "a list gone back to what it was",
      [
        call(1, 6, replace("B"), alias(2, "B")),
        call(2, 3, read, alias(2, "B")),
        call(4, 5, read, alias(1, "A")),
      ],
    ],
    [
      "a mix of two lists",
      [
        call(1, 4, replace("B"), alias(2, "B")),
        call(2, 5, replace("A", "B"), alias(3, "A", "B")),
        call(6, 7, read, alias(3, "B", "A")),
      ],
    ],
    ["an empty list", [call(1, 2, replace("B"), alias(2, "B")), call(3, 4, read, alias(2))]],
    ["an inactive recipient attached", [call(1, 2, replace("C"), alias(2, "C"))]],
    [
      "a recipient deactivated while it is attached",
      [
        call(1, 2, replace("B"), alias(2, "B")),
        call(3, 4, on("deactivate", "B"), { active: false, attached: 0 }),
      ],
    ],
    [
      "a recipient both removed and attached at once",
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
        call(2, 3, read, alias(2, "B")),
        call(4, 5, replace("A"), alias(3, "A")),
        call(6, 7, read, alias(4, "B")),
      ],
    ],
    [
      "an unknown call that took effect before it was made",
      [call(1, 2, read, alias(2, "B")), unknown(3, replace("B"))],
    ],
    [
      "an unknown call that took effect by half",
      [
        unknown(1, replace("B")),
        call(2, 3, read, alias(2, "B")),
        call(4, 5, on("look", "B"), { active: true, attached: 0 }),
      ],
    ],
  ])("%s", ([, history]) => {
    expect(checkLinearizable(model, history)).toMatchObject({ linearizable: false });
  });

  // In half a billion orders, but from some thousand points only.
  test("an impossible answer among twelve calls at once, without trying every order", () => {
    const looks = Array.from({ length: 12 }, (_, i) =>
      call(i, 100 + i, on("look", "C"), { active: false, attached: 0 }),
    );
    expect(linearizable([...looks, call(50, 51, read, alias(9, "C"))])).toBe(false);
  });

  test("with a counterexample that can be read", () => {
    const verdict = checkLinearizable(model, [
      call(1, 2, replace("B"), alias(2, "B")),
      call(3, 4, read, alias(1, "A")),
    ]);
    expect(verdict).toEqual({
      linearizable: false,
      counterexample: [
        "No order of these calls explains their answers:",
        '1–2      p  {"call":"replace","list":["B"]} → {"version":2,"list":["B"]}',
        '3–4      p  {"call":"read"} → {"version":1,"list":["A"]}',
        "The longest order that explains a part:",
        '1–2      p  {"call":"replace","list":["B"]} → {"version":2,"list":["B"]}',
        'leads to {"version":2,"list":["B"],"recipients":{"A":"active","B":"active","C":"inactive"}}, after which one of these had to come:',
        '3–4      p  {"call":"read"} → {"version":1,"list":["A"]}',
        '           would be → {"version":2,"list":["B"]}',
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

  test("is accepted recipient by recipient, but not with a reason that never held, nor in another order", () => {
    expect(linearizable(splitRefusals(refused("C", "B")))).toBe(true);
    for (const never of [refused("C", "A"), refused("B", "C"), refused("A"), refused("D"), refused()]) {
      expect(linearizable(splitRefusals(never))).toBe(false);
    }
  });

  test("leaves all other calls as they are", () => {
    const history = [
      unknown(1, replace("C")),
      call(2, 3, replace("B"), alias(2, "B")),
      call(4, 5, read, alias(2, "B")),
    ];
    expect(splitRefusals(history)).toEqual(history);
  });
});

const id = fc.constantFrom("A", "B", "C");
const anyCall: fc.Arbitrary<AliasCall> = fc.oneof(
  fc.record({ call: fc.constant("replace"), list: fc.uniqueArray(id, { minLength: 1 }) }),
  fc.record({ call: fc.constantFrom("activate", "deactivate", "remove", "look"), recipient: id }),
  fc.constant(read),
);

type Outcome = "known" | "unknown" | "not applied";

/** Calls that really were made one after the other, each seen to begin up to `stretch` before and to end up to as much after. */
const executed = (stretch: number, outcomes: readonly [Outcome, ...Outcome[]]) => {
  const apart = fc.integer({ min: 1, max: stretch });
  const made = fc.record({
    input: anyCall,
    early: apart,
    late: apart,
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

/** The definition, word for word: some order of all known and some unknown calls that keeps to the times and the model. */
const byTryingEveryOrder = (history: History): boolean => {
  const from = (state: AliasState, open: History): boolean =>
    open.every(({ answer }) => answer === null) ||
    open.some((next) => {
      const rest = open.filter((other) => other !== next);
      const { state: after, output } = model.apply(state, next.input);
      const inTime = rest.every(({ answer }) => answer === null || answer.returned > next.called);
      const asAnswered = next.answer === null || isDeepStrictEqual(output, next.answer.output);
      return inTime && asAnswered && from(after, rest);
    });
  return from(start, history);
};

test("what was executed in some order is accepted, however far the calls overlap", () => {
  fc.assert(
    fc.property(executed(600, MOSTLY_KNOWN), (history) => {
      expect(linearizable(history)).toBe(true);
    }),
  );
});

test("calls one after the other, of which one got another answer, are rejected", () => {
  fc.assert(
    fc.property(executed(40, ["known"]), fc.nat(), (history, n) => {
      const wrong = history.map((each, i) =>
        i === n % history.length
          ? { ...each, answer: { output: alias(99, "A"), returned: each.called + 80 } }
          : each,
      );
      expect(linearizable(wrong)).toBe(false);
    }),
  );
});

/** The history with the answers of two calls exchanged, where both have one. */
const exchange = (history: History, one: number, other: number): History => {
  const [a, b] = [history[one]?.answer, history[other]?.answer];
  if (a === null || b === null || a === undefined || b === undefined) return history;
  return history.map((each, i) => {
    if (i === one) return { ...each, answer: { ...a, output: b.output } };
    return i === other ? { ...each, answer: { ...b, output: a.output } } : each;
  });
};

test("the verdict is that of trying every order, also where two calls' answers were exchanged", () => {
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
