import { memoryStore } from "@postern/adapter-memory";
import {
  Alias,
  EmailAddress,
  err,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  postern,
  type Recipient,
} from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { emailAddress } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

const account = "account-1";
const store = memoryStore();
const service = postern({ store, aliasDomains: ["alias.example"], ...testPorts() });

let serial = 0;
let home: Recipient;
let alias: Alias;
let name: string;

beforeEach(async () => {
  serial += 1;
  name = `shop-${serial}`;
  home = valueOf(await service.adoptRecipient({ account, email: `me-${serial}@home.example` }));
  const email = `${name}@alias.example`;
  alias = valueOf(await service.createAlias({ account, email, recipientIds: [home.id] }));
});

const resolve = (address: string) => service.resolveAlias({ address });

/** An alias from the time when names could still contain a tag. */
const storeTagged = async (email: string, { owner = account as string, age = 0 } = {}): Promise<Alias> => {
  const recipient = valueOf(
    await service.adoptRecipient({ account: owner, email: `tagged-${serial}@home.example` }),
  );
  const tagged = {
    ...alias,
    destinations: [{ recipientId: recipient.id, email: recipient.email }] as const,
    id: valueOf(parseAliasId(`tagged-${serial}`)),
    account: valueOf(parseAccountId(owner)),
    email: valueOf(parseEmailAddress(email)),
    createdAt: alias.createdAt - age,
  };
  valueOf(await store.aliases.create(tagged, NO_LIMITS));
  return tagged;
};

describe("resolveAlias", () => {
  test("finds an alias by its address in any case, with its destinations", async () => {
    for (const address of [alias.email, alias.email.toUpperCase()]) {
      expect(valueOf(await resolve(address))).toEqual({ alias: Alias.state(alias), tag: null });
    }
    expect(alias.destinations).toEqual([{ recipientId: home.id, email: home.email }]);
  });

  test("removes a tag if no alias has the exact address", async () => {
    const base = valueOf(await resolve(`${name}+news+more@alias.example`));
    expect(base).toEqual({ alias: Alias.state(alias), tag: "news+more" });
    const exact = await storeTagged(`${name}+news@alias.example`);
    expect(valueOf(await resolve(`${name}+news@alias.example`))).toEqual({
      alias: Alias.state(exact),
      tag: null,
    });
  });

  test("finds the older of two accounts' aliases, whatever state it is in", async () => {
    const email = `${name}+bank@alias.example`;
    const tagged = await storeTagged(email, { owner: "somebody-else", age: 1 });
    expect(valueOf(await resolve(email))).toEqual({ alias: Alias.state(tagged), tag: null });
    expect(valueOf(await resolve(`${name}+other@alias.example`))).toEqual({
      alias: Alias.state(alias),
      tag: "other",
    });
    await service.updateAlias({ account: tagged.account, aliasId: tagged.id, active: false });
    expect(failureOf(await resolve(email)).code).toBe("alias_inactive");
  });

  test("a newer alias does not get the mail to a tag of an older one", async () => {
    const email = `${name}+bank@alias.example`;
    await storeTagged(email, { owner: "somebody-else", age: -1 });
    expect(valueOf(await resolve(email))).toEqual({ alias: Alias.state(alias), tag: "bank" });
    await service.updateAlias({ account, aliasId: alias.id, active: false });
    expect(failureOf(await resolve(email)).code).toBe("alias_inactive");
  });

  test("stops at an alias with the exact address, even if it is deleted", async () => {
    const email = `${name}+old@alias.example`;
    const tagged = await storeTagged(email);
    await service.deleteAlias({ account, aliasId: tagged.id });
    expect(failureOf(await resolve(email))).toEqual({ code: "alias_deleted" });
  });

  test.each([
    ["an unknown address", "nobody@alias.example", { code: "alias_not_found" }],
    ["an unknown address with a tag", "nobody+tag@alias.example", { code: "alias_not_found" }],
    ["a tag alone", "+tag@alias.example", { code: "alias_not_found" }],
    ["another domain", "shop@other.example", { code: "address_not_allowed", reason: "not_an_alias_domain" }],
  ])("says why mail for %s goes nowhere", async (_, address, failure) => {
    expect(failureOf(await resolve(address))).toEqual(failure);
  });

  test("refuses invalid addresses", async () => {
    expect(failureOf(await resolve("shop")).code).toBe("invalid_request");
  });

  test("fails for a deleted, inactive, or erased alias", async () => {
    await service.updateAlias({ account, aliasId: alias.id, active: false });
    const inactive = { code: "alias_inactive", account, aliasId: alias.id, isOver: false };
    expect(failureOf(await resolve(alias.email))).toEqual(inactive);
    expect(failureOf(await resolve(`${name}+tag@alias.example`))).toEqual(inactive);
    await service.deleteAlias({ account, aliasId: alias.id });
    expect(failureOf(await resolve(alias.email))).toEqual({ code: "alias_deleted" });
    await service.eraseAlias({ account, aliasId: alias.id });
    expect(failureOf(await resolve(alias.email))).toEqual({ code: "alias_not_found" });
  });

  test("reports that the store is unavailable, at the first or the second read", async () => {
    const unavailable = err({ code: "unavailable" } as const);
    for (const failing of [1, 2]) {
      let reads = 0;
      const findByEmail: typeof store.aliases.findByEmail = async (email) => {
        reads += 1;
        return reads === failing ? unavailable : store.aliases.findByEmail(email);
      };
      const broken = postern({
        store: { ...store, aliases: { ...store.aliases, findByEmail } },
        aliasDomains: ["alias.example"],
        ...testPorts(),
      });
      const resolved = await broken.resolveAlias({ address: "nobody+tag@alias.example" });
      expect(failureOf(resolved)).toEqual({ code: "unavailable" });
    }
  });
});

test("an address without its tag, rejoined with the tag, is the original address", async () => {
  await fc.assert(
    fc.property(emailAddress(), (address) => {
      const taken = EmailAddress.withoutTag(address);
      const [local, domain] = [EmailAddress.localPart(address), EmailAddress.domain(address)];
      if (taken === null) {
        // There is no plus, or nothing valid before it.
        const [user = ""] = local.split("+");
        expect(user === local || user === "" || user.endsWith(".")).toBe(true);
      } else {
        expect(`${EmailAddress.localPart(taken.address)}+${taken.tag}@${domain}`).toBe(address);
        expect(EmailAddress.localPart(taken.address)).not.toContain("+");
      }
    }),
    { numRuns: 1000 },
  );
});
