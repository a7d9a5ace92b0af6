import { err, ok, type Unavailable } from "@postern/core";
import { type AccountCheck, Difference, differencesByAccount } from "@postern/core/store";
import { expect, test } from "vitest";

const FAILURE: Unavailable = { code: "unavailable", cause: { source: "test", reason: "gone" } };

const ACCOUNTS = ["a", "b", "c"];

const nextAccount = async (after: string) => ok(ACCOUNTS.find((account) => account > after) ?? null);

const differenceOf = (account: string, alias: string): Difference =>
  Difference.tallies({ account, alias }, 1, 2);

const checkFinding = (...aliases: readonly string[]): AccountCheck =>
  async function* (account) {
    for (const alias of aliases) yield ok(differenceOf(account, alias));
  };

const failingIn = (failing: string): AccountCheck =>
  async function* (account) {
    if (account === failing) yield err(FAILURE);
  };

const found = async (...args: Parameters<typeof differencesByAccount>) => {
  let checked = 0;
  const differences = [];
  for await (const difference of differencesByAccount(...args)(() => {
    checked += 1;
  }))
    differences.push(difference.unwrapOr(null));
  return { differences, checked };
};

test("makes every check of an account before the next account", async () => {
  expect(await found(nextAccount, [checkFinding("1", "2"), checkFinding("3")])).toEqual({
    differences: ACCOUNTS.flatMap((account) => ["1", "2", "3"].map((alias) => differenceOf(account, alias))),
    checked: 3,
  });
});

test("ends after a check that fails, before the account is counted as checked", async () => {
  expect(await found(nextAccount, [failingIn("b"), checkFinding("1")])).toEqual({
    differences: [differenceOf("a", "1"), null],
    checked: 1,
  });
});

test("starts from the empty id to find the first account", async () => {
  const asked: string[] = [];
  await found(async (after) => {
    asked.push(after);
    return nextAccount(after);
  }, []);
  expect(asked).toEqual(["", ...ACCOUNTS]);
});

test("ends if the next account cannot be found", async () => {
  const failing = async (after: string) => (after === "a" ? err(FAILURE) : nextAccount(after));
  expect(await found(failing, [checkFinding("1")])).toEqual({
    differences: [differenceOf("a", "1"), null],
    checked: 1,
  });
});

test("says what to do about a recipient that must not receive mail", () => {
  const place = { account: "a", alias: "1", recipient: "2" };
  const detach = async () => ok("repaired" as const);
  expect(Difference.destination(place, "inactive", detach)).toEqual({
    kind: "destination",
    ...place,
    stored: "inactive",
    right: "verified and active",
    remedy: {
      by: "operator",
      action: "its owner can activate the recipient; then repair again. Or repair with --detach",
      detach,
    },
  });
});

test("says that tallies cannot be counted again", () => {
  expect(Difference.tallies({ account: "a", alias: "1" }, 1, 2)).toEqual({
    kind: "tallies",
    account: "a",
    alias: "1",
    recipient: null,
    stored: "1 counted",
    right: "2 or more",
    remedy: {
      by: "operator",
      action:
        "nothing, unless a backup has the right numbers: which outcomes are missing is not stored. This ends when the events are forgotten, after 35 days",
      detach: null,
    },
  });
});
