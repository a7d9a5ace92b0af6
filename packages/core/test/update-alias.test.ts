import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { account, alias, ports, service, store, storedAlias, useAccount } from "./support/account.ts";

useAccount();

describe("updateAlias", () => {
  test("changes the given settings, trimmed, and leaves the rest unchanged", async () => {
    const changed = await service().updateAlias({ account, aliasId: alias.id, description: " shop " });
    const expected = { ...alias, description: "shop", updatedAt: ports.clock.now(), version: 2 };
    expect(valueOf(changed)).toEqual(expected);
    const off = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(valueOf(off)).toEqual({ ...expected, active: false, version: 3 });
    expect(await storedAlias()).toEqual(valueOf(off));
  });

  test("writes nothing if nothing changes", async () => {
    const save = vi.spyOn(store.aliases, "save");
    expect(valueOf(await service().updateAlias({ account, aliasId: alias.id, active: true }))).toEqual(alias);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses invalid input, a stale version and a deleted alias", async () => {
    const bad = await service().updateAlias({ account, aliasId: alias.id, description: "x".repeat(501) });
    expect(failureOf(bad)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["description"] }],
    });
    const stale = await service().updateAlias({
      account,
      aliasId: alias.id,
      active: false,
      expectedVersions: [2],
    });
    expect(failureOf(stale).code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    const gone = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(failureOf(gone).code).toBe("alias_deleted");
  });
});
