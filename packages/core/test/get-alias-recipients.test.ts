import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import {
  a,
  account,
  alias,
  b,
  failing,
  newAlias,
  service,
  store,
  stored,
  storedAlias,
  unavailable,
  useAccount,
  verifiedRecipient,
} from "./support/account.ts";

useAccount();

const get = async () => valueOf(await service().getAliasRecipients({ account, aliasId: alias.id }));

describe("getAliasRecipients", () => {
  test("returns the alias and exactly its recipients, in its order", async () => {
    expect(await get()).toEqual({ alias, recipients: [await stored(a)] });
    const c = await verifiedRecipient("c@example.org");
    const recipientIds = [c.id, a.id, b.id];
    const replaced = valueOf(await service().replaceRecipients({ account, aliasId: alias.id, recipientIds }));
    expect(await get()).toEqual({
      alias: replaced,
      recipients: [await stored(c), await stored(a), await stored(b)],
    });
  });

  test("of a deleted alias, returns the former recipients that still exist", async () => {
    const recipientIds = [a.id, b.id];
    valueOf(await service().replaceRecipients({ account, aliasId: alias.id, recipientIds }));
    valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    valueOf(await service().deleteRecipient({ account, recipientId: a.id }));
    expect(await get()).toEqual({ alias: await storedAlias(), recipients: [await stored(b)] });
  });

  test("shows one state even if the recipients are replaced while it reads", async () => {
    let replacements = 0;
    const racing = failing({
      findWithRecipients: async (...query) => {
        const found = await store.aliases.findWithRecipients(...query);
        // Before the second and the fourth read, of six.
        if (query[2].length === 0 && replacements < 2) {
          replacements += 1;
          const recipientIds = replacements === 1 ? [b.id] : [b.id, a.id];
          valueOf(await service().replaceRecipients({ account, aliasId: alias.id, recipientIds }));
        }
        return found;
      },
    });
    const read = valueOf(await racing.getAliasRecipients({ account, aliasId: alias.id }));
    expect(replacements).toBe(2);
    expect(read).toEqual({ alias: await storedAlias(), recipients: [await stored(b), await stored(a)] });
  });

  test("fails for an unknown alias, another account's alias, one that is erased meanwhile, and an unavailable store", async () => {
    const { id: aliasId } = alias;
    const failureFor = async (target: { account: string; aliasId: string }, ports = service()) =>
      failureOf(await ports.getAliasRecipients(target)).code;
    expect(await failureFor({ account, aliasId: "x" })).toBe("alias_not_found");
    expect(await failureFor({ account: "b", aliasId })).toBe("alias_not_found");
    expect(await failureFor({ account, aliasId: "" })).toBe("invalid_request");
    expect(await failureFor({ account, aliasId }, failing({ findWithRecipients: unavailable }))).toBe(
      "unavailable",
    );
    const secondFails = failing({
      findWithRecipients: async (...query) =>
        query[2].length > 0 ? unavailable() : store.aliases.findWithRecipients(...query),
    });
    expect(await failureFor({ account, aliasId }, secondFails)).toBe("unavailable");
    const erasing = failing({
      findWithRecipients: async (...query) => {
        if (query[2].length > 0) valueOf(await store.aliases.erase(await storedAlias()));
        return store.aliases.findWithRecipients(...query);
      },
    });
    await newAlias(b);
    expect(await failureFor({ account, aliasId }, erasing)).toBe("alias_not_found");
  });
});
