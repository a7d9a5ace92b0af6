import { err, ok, type Unavailable } from "@postern/core";
import { compareRows, Difference, type RowAgain } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";

const FAILURE: Unavailable = { code: "unavailable", cause: { source: "test", reason: "gone" } };

type Value = string | number | null;

/** A table with rows of the alias `a` at 0, 1, and so on. Every 400th row is wrong in two ways. */
const tableOf = (count: number, failFrom = Number.POSITIVE_INFINITY) => {
  const [asked, wrong] = [[] as (readonly unknown[])[], new Set<unknown>([0, 400, 800])];
  const again: RowAgain<Value>[] = [];
  const rowAt = (at: number) => ({ alias_id: "a", at });
  const check = compareRows<Value>(
    {
      table: "things",
      key: { alias_id: "", at: -1 },
      select: (rows) => `SELECT * FROM ${rows} AS t`,
      differencesOf: ({ at }, place, correct) => {
        if (!wrong.has(at)) return null;
        const first = Difference.leftover(place, Number(at), "things", correct);
        return at === 0 ? first : [first, Difference.leftover(place, Number(at), "other things", correct)];
      },
    },
    async (text, values) => {
      asked.push([text, ...values]);
      const first = Number(values[2]) + 1;
      if (first >= failFrom) return err(FAILURE);
      return ok(Array.from({ length: Math.min(500, count - first) }, (_, n) => rowAt(first + n)));
    },
    async (row) => {
      again.push(row);
      const now = rowAt(Number(row.values[2]));
      return ok(row.differs(now));
    },
  );
  const found = async () => {
    const differences = [];
    for await (const difference of check("account")) differences.push(difference);
    return differences;
  };
  return { found, asked, wrong, again };
};

const textsOf = (found: Awaited<ReturnType<ReturnType<typeof tableOf>["found"]>>) =>
  found.map((difference) =>
    difference.match(
      ({ account, alias, recipient, stored }) => [account, alias, recipient, stored],
      ({ code }) => code,
    ),
  );

const at = (stored: string) => ["account", "a", null, stored];

test("looks at every row once, and reads no page after a short one", async () => {
  const { found, asked } = tableOf(1_200);
  expect(textsOf(await found())).toEqual(
    ["0 in things", "400 in things", "400 in other things", "800 in things", "800 in other things"].map(at),
  );
  const text =
    "SELECT * FROM (SELECT * FROM things WHERE account = $1 AND (alias_id, at) > ($2, $3) ORDER BY alias_id, at LIMIT 500) AS t ORDER BY alias_id, at";
  expect(asked).toEqual([
    [text, "account", "", -1],
    [text, "account", "a", 499],
    [text, "account", "a", 999],
  ]);
});

test("ends after an empty page, and after one that cannot be read", async () => {
  const empty = tableOf(0);
  expect(await empty.found()).toEqual([]);
  expect(empty.asked).toHaveLength(1);
  expect(textsOf(await tableOf(5_000, 500).found())).toEqual([
    ...["0 in things", "400 in things", "400 in other things"].map(at),
    "unavailable",
  ]);
});

test("reads a row again before it is corrected", async () => {
  const { found, wrong, again } = tableOf(500);
  const repairs = (await found()).map((difference) => {
    const { remedy } = valueOf(difference);
    return remedy.by === "repair" ? remedy.repair : expect.unreachable("all are repaired");
  });
  for (const repair of repairs) expect(valueOf(await repair())).toBe("repaired");
  wrong.clear();
  for (const repair of repairs) expect(valueOf(await repair())).toBe("gone");
  const [first, second] = again;
  expect(first).toMatchObject({
    at: { account: "account", alias: "a", recipient: null },
    text: "SELECT * FROM (SELECT * FROM things WHERE account = $1 AND (alias_id, at) = ($2, $3)) AS t",
    values: ["account", "a", 0],
  });
  expect(second?.values).toEqual(["account", "a", 400]);
  // It may be gone altogether.
  expect(first?.differs(undefined)).toBe(false);
});
