import {
  Alias,
  err,
  ok,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Unavailable,
} from "@postern/core";
import { type AccountCheck, type Correction, Difference, differencesByAccount } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const FAILURE: Unavailable = { code: "unavailable", cause: { source: "test", reason: "gone" } };

const AT = { account: "a", alias: "1", recipient: null };

const never: Correction = () => expect.unreachable("nothing is corrected");

const ACCOUNTS = ["a", "b", "c"];

const nextAccount = async (after: string) => ok(ACCOUNTS.find((account) => account > after) ?? null);

const differenceOf = (account: string, alias: string): Difference =>
  Difference.tallies({ account, alias, recipient: null }, 1, 2);

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

describe("account by account", () => {
  test("makes every check of an account before the next account", async () => {
    expect(await found(nextAccount, [checkFinding("1", "2"), checkFinding("3")])).toEqual({
      differences: ACCOUNTS.flatMap((account) =>
        ["1", "2", "3"].map((alias) => differenceOf(account, alias)),
      ),
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
});

describe("a repair", () => {
  const repairOf = (correct: Correction) => {
    const { remedy } = Difference.count("attached", AT, { stored: "1", right: "2" }, correct);
    return remedy.by === "repair" ? remedy.repair() : expect.unreachable("it is repaired");
  };

  test("says whether something still differed", async () => {
    expect(valueOf(await repairOf(async () => ok(true)))).toBe("repaired");
    expect(valueOf(await repairOf(async () => ok(false)))).toBe("gone");
    expect((await repairOf(async () => err(FAILURE))).isErr()).toBe(true);
  });

  test("is attempted again if others interfere, but not for ever", async () => {
    let attempts = 0;
    const correct =
      (until: number): Correction =>
      async () => {
        attempts += 1;
        return attempts >= until ? ok(true) : err({ code: "conflict" });
      };
    expect(valueOf(await repairOf(correct(3)))).toBe("repaired");
    expect(attempts).toBe(3);
    attempts = 0;
    expect(valueOf(await repairOf(correct(100)))).toBe("busy");
    expect(attempts).toBe(5);
  });
});

describe("an alias without the recipients that must not receive its mail", () => {
  const NOW = 1_700_000_000_000;
  const account = valueOf(parseAccountId("a"));
  const [home, work] = ["home", "work"].map((name) => ({
    ...Recipient.add(
      {
        id: valueOf(parseRecipientId(name)),
        account,
        email: valueOf(parseEmailAddress(`${name}@mail.example`)),
        nonce: "nonce",
      },
      NOW,
    ),
    verifiedAt: NOW,
  }));
  if (home === undefined || work === undefined) throw new Error("there are two");
  const alias = valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId("1")),
        account,
        email: valueOf(parseEmailAddress("shop@alias.example")),
        description: "",
      },
      valueOf(parseRecipientIds([home.id, work.id])),
      [home, work],
      NOW,
    ),
  );

  test("lists the others", () => {
    expect(Difference.detached(alias, (id) => id === work.id, NOW + 9)).toEqual({
      ...alias,
      destinations: [{ recipientId: work.id, email: work.email }],
      updatedAt: NOW + 9,
      version: 2,
    });
  });

  test("is deleted if there are no others, and remembers them", () => {
    expect(Difference.detached(alias, () => false, NOW + 9)).toEqual(Alias.delete(alias, NOW + 9));
  });

  test("was never changed before it was last changed", () => {
    expect(Difference.detached(alias, (id) => id === work.id, NOW - 9).updatedAt).toBe(NOW);
  });
});

describe("says", () => {
  test.for([
    [{ missing: 2, wrong: 0, surplus: 1 }, "2 missing, 1 surplus"],
    [{ wrong: 3 }, "3 wrong"],
  ] as const)("what is wrong with derived data: %o", ([wrong, stored]) => {
    expect(Difference.derived("attachment", AT, wrong, never)).toMatchObject({
      ...AT,
      kind: "attachment",
      stored,
      right: "one for each recipient that the alias lists",
      remedy: { by: "repair" },
    });
  });

  test("what is left of an alias", () => {
    expect(Difference.leftover(AT, 3, "contacts", never)).toMatchObject({
      kind: "leftover",
      stored: "3 in contacts",
      right: "only an alias that exists has any, and only a live one has recipients",
    });
  });

  test("who has what belongs to two", () => {
    const other = { account: "b", alias: null, recipient: "2" };
    expect(Difference.taken("recipient-address", AT, other)).toMatchObject({
      ...AT,
      stored: "leads to recipient 2 of account b, which has the same",
      remedy: {
        by: "operator",
        action: "if the owner deletes the other recipient, a repair reserves the address for this one",
        detach: null,
      },
    });
  });

  test("what to do about a recipient that must not receive mail", async () => {
    const place = { ...AT, recipient: "2" };
    const difference = Difference.destination(place, "inactive", async () => ok(true));
    expect(difference).toMatchObject({
      kind: "destination",
      ...place,
      stored: "inactive",
      right: "verified and active",
      remedy: {
        by: "operator",
        action: "its owner can activate the recipient; then repair again. Or repair with --detach",
      },
    });
    const { remedy } = difference;
    expect(remedy.by === "operator" && remedy.detach && valueOf(await remedy.detach())).toBe("repaired");
    expect(Difference.destination(place, "gone", null).remedy).toMatchObject({ detach: null });
  });

  test("that tallies cannot be counted again", () => {
    expect(differenceOf("a", "1")).toEqual({
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

  test("what nobody can correct", () => {
    const texts = { stored: "damaged", right: "intact", action: "restore it" };
    expect(Difference.undecided("file", AT, texts)).toEqual({
      ...AT,
      kind: "file",
      stored: "damaged",
      right: "intact",
      remedy: { by: "operator", action: "restore it", detach: null },
    });
  });
});
