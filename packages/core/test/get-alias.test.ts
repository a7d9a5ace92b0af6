import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { account, alias, failing, service, storedAlias, unavailable, useAccount } from "./support/account.ts";

useAccount();

describe("getAlias", () => {
  test("finds an alias of the account, deleted or not", async () => {
    expect(await storedAlias()).toEqual(alias);
    const deleted = valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    expect(await storedAlias()).toEqual(deleted);
  });

  test("fails for an unknown alias, another account's alias, and an unavailable store", async () => {
    const { id: aliasId } = alias;
    expect(failureOf(await service().getAlias({ account, aliasId: "x" })).code).toBe("alias_not_found");
    expect(failureOf(await service().getAlias({ account: "b", aliasId })).code).toBe("alias_not_found");
    expect(failureOf(await service().getAlias({ account, aliasId: "" })).code).toBe("invalid_request");
    const broken = failing({ findWithRecipients: unavailable });
    expect(failureOf(await broken.getAlias({ account, aliasId })).code).toBe("unavailable");
  });
});
