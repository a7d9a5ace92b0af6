import { Recipient } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

const { failing, newAlias, ports, service, store, verifiedRecipient } = useService();

describe("createAlias", () => {
  test("creates an alias on any of the alias domains", async () => {
    const recipient = await verifiedRecipient("me@example.org");
    for (const email of ["shop@alias.example", "letters@second.example"]) {
      const created = await service().createAlias({
        account: ACCOUNT,
        email,
        description: " a shop ",
        recipientIds: [recipient],
      });
      expect(created).toMatchObject({
        value: { account: ACCOUNT, email, description: "a shop", active: true },
      });
    }
    const { items } = valueOf(await service().listAliases({ account: ACCOUNT }));
    expect(items.map(({ email }) => email)).toEqual(["letters@second.example", "shop@alias.example"]);
  });

  test("has an empty description by default", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({
      account: ACCOUNT,
      email: "shop@alias.example",
      recipientIds,
    });
    expect(created).toMatchObject({ value: { description: "" } });
  });

  test.each(["shop@example.org", "shop@sub.alias.example", "shop@alias.example.org"])(
    "refuses %s: not an alias domain",
    async (email) => {
      const recipientIds = [await verifiedRecipient("me@example.org")];
      const created = await service().createAlias({ account: ACCOUNT, email, recipientIds });
      expect(failureOf(created)).toEqual({
        code: "address_not_allowed",
        reason: "not_an_alias_domain",
      });
    },
  );

  test("refuses an address that is taken, and ineligible recipients", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    await newAlias(recipientIds);
    const taken = await service().createAlias({
      account: ACCOUNT,
      email: "Shop@alias.example",
      recipientIds,
    });
    expect(failureOf(taken)).toEqual({ code: "address_taken" });
    const email = "other@alias.example";
    const unknown = await service().createAlias({ account: ACCOUNT, email, recipientIds: ["nobody"] });
    expect(failureOf(unknown)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: "nobody", reason: "unknown" }],
    });
  });

  test.each([
    ["recipientIds", { recipientIds: [] }],
    ["email", { email: "shop" }],
    ["account", { account: "" }],
    ["description", { description: "a\u0007" }],
    ["description", { description: "x".repeat(501) }],
    ["description", { description: "\ud83d" }],
    ["description", { description: "\uFDFA".repeat(28) }],
  ])("refuses a bad %s", async (path, bad) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const create = vi.spyOn(store().aliases, "create");
    const command = { account: ACCOUNT, email: "shop@alias.example", recipientIds, ...bad };
    expect(await service().createAlias(command)).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: [path] }] },
    });
    expect(create).not.toHaveBeenCalled();
  });

  test("accepts a description of 500 characters once it is normalized", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const description = `${"\uFDFA".repeat(27)}${"x".repeat(500 - 27 * 18)}`;
    const created = await service().createAlias({ account: ACCOUNT, recipientIds, description });
    expect(valueOf(created).description).toBe(description);
  });

  test.each([
    [{}, /^[a-z][a-z2-9]{9}@alias\.example$/],
    [{ domain: "Second.example" }, /^[a-z][a-z2-9]{9}@second\.example$/],
    [{ format: "random" as const }, /^[a-z][a-z2-9]{9}@alias\.example$/],
    [{ format: "words" as const }, /^[a-z]+(-[a-z]+){3}@alias\.example$/],
    [{ format: "uuid" as const, domain: "second.example" }, /^[0-9a-f-]{36}@second\.example$/],
  ])("generates an address for %j", async (wanted, form) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({ account: ACCOUNT, recipientIds, ...wanted });
    expect(valueOf(created).email).toMatch(form);
  });

  test("generates another address if the first one is taken", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const draws = [...Array.from({ length: 20 }, () => 0), ...Array.from({ length: 10 }, () => 1)];
    const secrets = { ...ports().secrets, random: () => draws.shift() ?? 2 };
    const create = service({ secrets }).createAlias;
    const first = valueOf(await create({ account: ACCOUNT, recipientIds }));
    draws.unshift(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const second = valueOf(await create({ account: ACCOUNT, recipientIds }));
    expect(second.email).not.toBe(first.email);
  });

  test("gives up if every generated address is taken", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const secrets = { ...ports().secrets, random: () => 0 };
    const create = service({ secrets }).createAlias;
    expect(await create({ account: ACCOUNT, recipientIds })).toHaveProperty("value");
    expect(failureOf(await create({ account: ACCOUNT, recipientIds }))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "a conflict in each of 8 attempts" },
    });
  });

  test.each([
    [
      "a domain that is not the service's",
      { domain: "example.org" },
      { code: "address_not_allowed", reason: "not_an_alias_domain" },
    ],
    [
      "both an address and a format",
      { email: "shop@alias.example", format: "words" as const },
      { code: "invalid_request" },
    ],
    [
      "both an address and a domain",
      { email: "shop@alias.example", domain: "alias.example" },
      { code: "invalid_request" },
    ],
  ])("refuses %s", async (_, wanted, error) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({ account: ACCOUNT, recipientIds, ...wanted });
    expect(failureOf(created)).toMatchObject(error);
  });

  test("decides again if a recipient is deactivated just before the write", async () => {
    const id = await verifiedRecipient("me@example.org");
    const { createAlias } = failing({
      create: async (alias, limits) => {
        const [recipient] = valueOf(await store().recipients.findAll(alias.account, [id]));
        if (recipient?.active) {
          const off = valueOf(Recipient.deactivate(recipient, ports().clock.now()));
          valueOf(await store().recipients.save(recipient, off));
        }
        return store().aliases.create(alias, limits);
      },
    });
    const created = await createAlias({ account: ACCOUNT, email: "shop@alias.example", recipientIds: [id] });
    expect(failureOf(created)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id, reason: "inactive" }],
    });
  });

  test("reports that the store is unavailable", async () => {
    const command = {
      account: ACCOUNT,
      email: "shop@alias.example",
      recipientIds: [await verifiedRecipient("me@example.org")],
    };
    for (const broken of [failing({ create: unavailable }), failing({}, { findAll: unavailable })]) {
      expect(failureOf(await broken.createAlias(command))).toEqual({ code: "unavailable" });
    }
  });
});
