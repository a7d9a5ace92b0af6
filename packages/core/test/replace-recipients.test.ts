import { type AliasId, type Conflict, err, Recipient, type RecipientId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

const { failing, newAlias, ports, service, store, verifiedRecipient } = useService();

const conflict = async () => err<never, Conflict>({ code: "conflict" });

describe("replaceRecipients", () => {
  let a: RecipientId;
  let b: RecipientId;
  let aliasId: AliasId;

  beforeEach(async () => {
    a = await verifiedRecipient("a@example.org");
    b = await verifiedRecipient("b@example.org");
    aliasId = await newAlias([a]);
    ports().clock.advance(1000);
  });

  const stored = async () => valueOf(await service().listAliases({ account: ACCOUNT })).items[0];

  test("replaces the list exactly, in order, and returns the alias as stored", async () => {
    const replaced = await service().replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b, a, b],
    });
    expect(replaced).toMatchObject({
      value: {
        destinations: [
          { recipientId: b, email: "b@example.org" },
          { recipientId: a, email: "a@example.org" },
        ],
        version: 2,
        updatedAt: ports().clock.now(),
      },
    });
    expect(await stored()).toEqual(valueOf(replaced));
  });

  test("has read the list when it is called: later changes to it have no effect", async () => {
    const recipientIds = [b];
    const replacing = service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds });
    recipientIds.push(a);
    expect(valueOf(await replacing).destinations.map(({ recipientId }) => recipientId)).toEqual([b]);
  });

  test("writes nothing if the list is already in place", async () => {
    const save = vi.spyOn(store().aliases, "save");
    const before = await stored();
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [a] });
    expect(valueOf(replaced)).toEqual(before);
    expect(save).not.toHaveBeenCalled();
  });

  test("calls the store twice in all: one read, one write", async () => {
    const find = vi.spyOn(store().aliases, "findWithRecipients");
    const save = vi.spyOn(store().aliases, "save");
    await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [b] });
    expect([find.mock.calls.length, save.mock.calls.length]).toEqual([1, 1]);
  });

  test("succeeds only at one of the expected versions", async () => {
    const replace = (recipientIds: string[], expectedVersions: number[]) =>
      service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds, expectedVersions });
    for (const [ids, versions] of [
      [[b], [2]],
      [[b], []],
      [[a], [2]],
    ] as const) {
      expect(failureOf(await replace([...ids], [...versions]))).toEqual({
        code: "precondition_failed",
      });
    }
    expect((await stored())?.version).toBe(1);
    expect(await replace([b], [7, 1])).toMatchObject({ value: { version: 2 } });
  });

  test("a version that a concurrent save has replaced fails the precondition", async () => {
    const { replaceRecipients } = failing({
      save: async (before, after) => {
        await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [a, b] });
        return store().aliases.save(before, after);
      },
    });
    const replaced = await replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
      expectedVersions: [1],
    });
    expect(failureOf(replaced)).toEqual({ code: "precondition_failed" });
  });

  test.each([
    ["an empty list", { recipientIds: [] }, "recipientIds"],
    ["41 ids", { recipientIds: Array.from({ length: 41 }, (_, i) => `r${i}`) }, "recipientIds"],
    ["an empty alias id", { aliasId: "" }, "aliasId"],
    ["an empty account", { account: "" }, "account"],
    ["version 0", { expectedVersions: [0] }, "expectedVersions"],
    ["a fractional version", { expectedVersions: [1.5] }, "expectedVersions"],
  ])("refuses %s without asking the store", async (_, bad, where) => {
    const find = vi.spyOn(store().aliases, "findWithRecipients");
    const command = { account: ACCOUNT, aliasId, recipientIds: [b], ...bad };
    const refused = await service().replaceRecipients(command);
    expect(refused).toMatchObject({ error: { code: "invalid_request" } });
    const error = failureOf(refused);
    expect(error.code === "invalid_request" && error.issues[0]?.path[0]).toBe(where);
    expect(find).not.toHaveBeenCalled();
  });

  test("returns the same failure for another account's alias and an unknown one", async () => {
    const command = { aliasId, recipientIds: [a] };
    const foreign = await service().replaceRecipients({ account: "other", ...command });
    const unknown = await service().replaceRecipients({ account: ACCOUNT, ...command, aliasId: "nothing" });
    expect(failureOf(foreign)).toEqual({ code: "alias_not_found" });
    expect(failureOf(unknown)).toEqual({ code: "alias_not_found" });
  });

  test("refuses a deleted alias", async () => {
    const alias = await stored();
    if (alias === undefined) return expect.unreachable();
    await store().aliases.save(alias, { ...alias, deletedAt: 1, version: 2 });
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [b] });
    expect(failureOf(replaced)).toEqual({ code: "alias_deleted" });
  });

  test("names all ineligible recipients at once, with their reasons", async () => {
    const foreign = valueOf(await service().addRecipient({ account: "other", email: "f@example.org" }));
    const fresh = valueOf(await service().addRecipient({ account: ACCOUNT, email: "u@example.org" }));
    const [recipient] = valueOf(
      await store().recipients.findAll(foreign.recipient.account, [foreign.recipient.id]),
    );
    expect(recipient).toBeDefined();
    const listed = valueOf(await service().listRecipients({ account: ACCOUNT })).items;
    const spare = listed.find(({ id }) => id === b) ?? expect.unreachable();
    await store().recipients.save(spare, valueOf(Recipient.deactivate(spare, ports().clock.now())));
    const before = await stored();
    const recipientIds = [a, "nobody", fresh.recipient.id, foreign.recipient.id, b, "nobody"];
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds });
    expect(failureOf(replaced)).toEqual({
      code: "recipients_ineligible",
      recipients: [
        { id: "nobody", reason: "unknown" },
        { id: fresh.recipient.id, reason: "unverified" },
        { id: foreign.recipient.id, reason: "unknown" },
        { id: b, reason: "inactive" },
      ],
    });
    expect(await stored()).toEqual(before);
  });

  test("makes 8 attempts at a contended alias, with a pause before each retry, then gives up", async () => {
    const save = vi.fn(conflict);
    const find = vi.spyOn(store().aliases, "findWithRecipients");
    const pause = vi.spyOn(ports().clock, "pause");
    const replaced = await failing({ save }).replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
    });
    expect(failureOf(replaced)).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "a conflict in each of 8 attempts" },
    });
    expect(save).toHaveBeenCalledTimes(8);
    expect(find).toHaveBeenCalledTimes(8);
    expect(pause.mock.calls).toEqual([2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, 1_000]));
  });

  test("succeeds once the competing writers are done", async () => {
    const save = vi
      .fn(store().aliases.save)
      .mockImplementationOnce(conflict)
      .mockImplementationOnce(conflict);
    const replaced = await failing({ save }).replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
    });
    expect(replaced).toMatchObject({ value: { version: 2 } });
    expect(save).toHaveBeenCalledTimes(3);
  });

  test("reports that the store is unavailable, without retrying", async () => {
    const save = vi.fn(unavailable);
    const command = { account: ACCOUNT, aliasId, recipientIds: [b] };
    expect(failureOf(await failing({ save }).replaceRecipients(command))).toEqual({
      code: "unavailable",
    });
    expect(save).toHaveBeenCalledOnce();
    const blind = failing({ findWithRecipients: unavailable });
    expect(failureOf(await blind.replaceRecipients(command))).toEqual({ code: "unavailable" });
  });
});
