import type { Alias, Store } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import {
  a,
  account,
  alias,
  b,
  failing,
  idsOf,
  newAlias,
  service,
  store,
  storedAlias,
  unavailable,
  useAccount,
  verifiedRecipient,
} from "./support/account.ts";

useAccount();

describe("reassignRecipient", () => {
  const reassign = (
    more: { to?: string; after?: string | null; recipientId?: string } = {},
    from = service(),
  ) => from.reassignRecipient({ account, recipientId: a.id, to: b.id, ...more });

  test("changes every alias, keeps its order, and only detaches the recipient if the other is already attached", async () => {
    const c = await verifiedRecipient("c@example.org");
    const both = await newAlias(c, a, b);
    const middle = await newAlias(b, a, c);
    const between = await newAlias(c, a);
    const without = await newAlias(c);
    expect(valueOf(await reassign())).toEqual({
      reassigned: [between.id, middle.id, both.id, alias.id],
      remaining: 0,
      next: null,
    });
    const listOf = async ({ id }: Alias) =>
      idsOf(valueOf(await service().getAlias({ account, aliasId: id })));
    expect(await Promise.all([alias, both, middle, between, without].map(listOf))).toEqual([
      [b.id],
      [c.id, b.id],
      [b.id, c.id],
      [c.id, b.id],
      [c.id],
    ]);
    expect((await service().deleteRecipient({ account, recipientId: a.id })).isOk()).toBe(true);
  });

  test("changes 25 aliases per call and continues where it stopped", async () => {
    for (let i = 0; i < 30; i += 1) await newAlias(a);
    const first = valueOf(await reassign());
    expect(first).toMatchObject({ remaining: 6 });
    expect(first.reassigned).toHaveLength(25);
    const second = valueOf(await reassign({ after: first.next }));
    expect(second).toMatchObject({ remaining: 0, next: null });
    expect(second.reassigned).toHaveLength(6);
    expect(valueOf(await reassign())).toEqual({ reassigned: [], remaining: 0, next: null });
  });

  test("returns what it has done if it fails midway, and continues from there", async () => {
    const others = [await newAlias(a), await newAlias(a)];
    const save = vi
      .fn(store.aliases.save)
      .mockImplementationOnce(store.aliases.save)
      .mockImplementationOnce(unavailable);
    const stopped = valueOf(await reassign({}, failing({ save })));
    expect(stopped).toEqual({ reassigned: [others[1]?.id], remaining: 2, next: others[1]?.id });
    expect(save).toHaveBeenCalledTimes(2);
    const rest = valueOf(await reassign({ after: stopped.next }));
    expect(rest).toEqual({ reassigned: [others[0]?.id, alias.id], remaining: 0, next: null });
  });

  test("skips, and does not claim to have changed, an alias that was deleted in the meantime", async () => {
    const other = await newAlias(a);
    const list: Store["aliases"]["list"] = async (...args) => {
      const page = await store.aliases.list(...args);
      await service().deleteAlias({ account, aliasId: other.id });
      return page;
    };
    const deleted = valueOf(await reassign({}, failing({ list })));
    expect(deleted).toEqual({ reassigned: [alias.id], remaining: 0, next: null });

    const gone = failing({
      findWithRecipients: async (owner, id, ids) =>
        (await store.aliases.findWithRecipients(owner, id, ids)).map((found) => ({ ...found, alias: null })),
    });
    await newAlias(a);
    expect(valueOf(await reassign({}, gone))).toEqual({ reassigned: [], remaining: 1, next: null });
  });

  test("refuses invalid input", async () => {
    expect(failureOf(await reassign({ to: a.id }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["to"], reason: "must be another recipient" }],
    });
    expect(failureOf(await reassign({ to: "x" }))).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: "x", reason: "unknown" }],
    });
    expect(failureOf(await reassign({ recipientId: "x" }))).toEqual({
      code: "recipient_not_found",
    });
    expect(idsOf(await storedAlias())).toEqual([a.id]);
  });

  test.each([
    ["findAll", () => failing({}, { findAll: unavailable })],
    ["list", () => failing({ list: unavailable })],
    ["save", () => failing({ save: unavailable })],
    ["find", () => failing({}, { find: unavailable })],
  ])("reports that the store is unavailable for %s", async (_, broken) => {
    expect(failureOf(await reassign({}, broken()))).toEqual({ code: "unavailable" });
  });
});
