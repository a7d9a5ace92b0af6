import { ok, type Recipient, type Store } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import {
  a,
  account,
  alias,
  b,
  failing,
  newAlias,
  ports,
  service,
  store,
  stored,
  unavailable,
  useAccount,
} from "./support/account.ts";

useAccount();

describe("updateRecipient", () => {
  const update = (recipient: Recipient, active?: boolean, from = service()) =>
    from.updateRecipient({ account, recipientId: recipient.id, ...(active === undefined ? {} : { active }) });

  test("deactivates and activates a recipient that is not attached", async () => {
    const off = valueOf(await update(b, false));
    expect(off).toEqual({ ...b, active: false, updatedAt: ports.clock.now(), version: 4 });
    expect(valueOf(await update(b, true))).toMatchObject({ active: true, version: 5 });
    expect(await stored(b)).toMatchObject({ active: true, version: 5 });
  });

  test("writes nothing if nothing is requested or nothing changes", async () => {
    const save = vi.spyOn(store.recipients, "save");
    expect(valueOf(await update(b))).toEqual(b);
    expect(valueOf(await update(b, true))).toEqual(b);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses while the recipient is attached, and names ten of its aliases, newest first", async () => {
    const attachedAliases = [alias];
    for (let i = 0; i < 11; i += 1) attachedAliases.unshift(await newAlias(a));
    expect(failureOf(await update(a, false))).toEqual({
      code: "recipient_attached",
      attached: 12,
      aliasIds: attachedAliases.slice(0, 10).map(({ id }) => id),
    });
    expect((await stored(a)).active).toBe(true);
  });

  test("names the aliases even if the store returns short pages, and stops after 10 pages", async () => {
    const second = await newAlias(a);
    const short = vi.fn<Store["aliases"]["list"]>(async (owner, { after }, filter) =>
      store.aliases.list(owner, { limit: 1, after }, filter),
    );
    const refused = await update(a, false, failing({ list: short }));
    expect(failureOf(refused)).toMatchObject({ attached: 2, aliasIds: [second.id, alias.id] });
    expect(short).toHaveBeenCalledTimes(2);

    const empty = vi.fn<Store["aliases"]["list"]>(async () => ok({ items: [], next: alias.id }));
    const gaveUp = await update(a, false, failing({ list: empty }));
    expect(failureOf(gaveUp)).toMatchObject({ attached: 2, aliasIds: [] });
    expect(empty).toHaveBeenCalledTimes(10);
  });

  test("reports an unknown recipient, and that the store is unavailable", async () => {
    expect(
      failureOf(await service().updateRecipient({ account, recipientId: "x", active: false })).code,
    ).toBe("recipient_not_found");
    expect(failureOf(await service().updateRecipient({ account, recipientId: "", active: false })).code).toBe(
      "invalid_request",
    );
    expect(failureOf(await update(a, false, failing({ list: unavailable }))).code).toBe("unavailable");
    expect(failureOf(await update(b, false, failing({}, { find: unavailable }))).code).toBe("unavailable");
  });
});
