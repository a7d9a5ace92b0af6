import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import {
  a,
  account,
  alias,
  b,
  failing,
  idsOf,
  ports,
  service,
  store,
  stored,
  storedAlias,
  unavailable,
  useAccount,
} from "./support/account.ts";

useAccount();

describe("deleteAlias and restoreAlias", () => {
  test("detach the recipients and reattach them", async () => {
    const deleted = await service().deleteAlias({ account, aliasId: alias.id });
    expect(valueOf(deleted)).toMatchObject({ deletedAt: ports.clock.now(), version: 2 });
    expect((await stored(a)).attached).toBe(0);
    const restored = await service().restoreAlias({ account, aliasId: alias.id });
    expect(valueOf(restored)).toMatchObject({ deletedAt: null, version: 3 });
    expect(idsOf(valueOf(restored))).toEqual([a.id]);
    expect((await stored(a)).attached).toBe(1);
  });

  test("are idempotent", async () => {
    const same = await service().restoreAlias({ account, aliasId: alias.id });
    expect(valueOf(same)).toEqual(alias);
    const once = await service().deleteAlias({ account, aliasId: alias.id });
    ports.clock.advance(1);
    expect(valueOf(await service().deleteAlias({ account, aliasId: alias.id }))).toEqual(valueOf(once));
  });

  test("restore the latest recipients, whatever happens in between", async () => {
    await service().deleteAlias({ account, aliasId: alias.id });
    const find = vi.spyOn(store.aliases, "findWithRecipients").mockImplementationOnce(async (...query) => {
      const stale = await store.aliases.findWithRecipients(...query);
      valueOf(await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] }));
      valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
      return stale;
    });
    const restored = valueOf(await service().restoreAlias({ account, aliasId: alias.id }));
    expect(idsOf(restored)).toEqual([b.id]);
    find.mockRestore();
    expect(await storedAlias()).toEqual(restored);
  });

  test("restore does nothing to an alias that was not deleted when first read, whatever happens afterwards", async () => {
    const find = vi.spyOn(store.aliases, "findWithRecipients").mockImplementationOnce(async (...query) => {
      const live = await store.aliases.findWithRecipients(...query);
      valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
      valueOf(await service().updateRecipient({ account, recipientId: a.id, active: false }));
      return live;
    });
    expect(valueOf(await service().restoreAlias({ account, aliasId: alias.id }))).toEqual(alias);
    find.mockRestore();
    expect((await storedAlias()).deletedAt).not.toBeNull();
  });

  test("restore reads the recipients of an alias only if it is deleted, and ignores them if it no longer is", async () => {
    const find = vi.spyOn(store.aliases, "findWithRecipients");
    valueOf(await service().restoreAlias({ account, aliasId: alias.id }));
    expect(find).toHaveBeenCalledOnce();
    valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    find.mockImplementationOnce(async (...query) => {
      const deleted = await store.aliases.findWithRecipients(...query);
      valueOf(await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [a.id] }));
      // Like a store that reads the recipients before the alias.
      find.mockImplementationOnce(async (...other) =>
        (await store.aliases.findWithRecipients(...other)).map((found) => ({ ...found, recipients: [] })),
      );
      return deleted;
    });
    expect(valueOf(await service().restoreAlias({ account, aliasId: alias.id }))).toMatchObject({
      deletedAt: null,
      version: 3,
    });
  });

  test("can restore an alias with other recipients if its own no longer exist", async () => {
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(await service().deleteRecipient({ account, recipientId: a.id })).toHaveProperty("value");
    const refused = await service().restoreAlias({ account, aliasId: alias.id });
    expect(failureOf(refused)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: a.id, reason: "unknown" }],
    });
    const restored = await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(idsOf(valueOf(restored))).toEqual([b.id]);
  });

  test("require one of the expected versions, if given", async () => {
    const target = { account, aliasId: alias.id, expectedVersions: [7] };
    expect(failureOf(await service().deleteAlias(target)).code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(failureOf(await service().restoreAlias(target)).code).toBe("precondition_failed");
    expect((await storedAlias()).version).toBe(2);
  });

  test("refuse invalid input, and report that the store is unavailable", async () => {
    const target = { account, aliasId: alias.id };
    expect(failureOf(await service().deleteAlias({ ...target, aliasId: "" })).code).toBe("invalid_request");
    const empty = await service().restoreAlias({ ...target, recipientIds: [] });
    expect(failureOf(empty)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["recipientIds"] }],
    });
    expect(failureOf(await failing({ save: unavailable }).deleteAlias(target)).code).toBe("unavailable");
    const blind = failing({ findWithRecipients: unavailable });
    expect(failureOf(await blind.restoreAlias(target)).code).toBe("unavailable");
  });
});
