import { afterAll, beforeAll, expect, test } from "vitest";
import { ROUTES } from "../src/routes/routes.ts";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld } from "./support/world.ts";

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

/** A valid body for each route that requires one. */
const BODIES: Record<string, object> = {
  createAlias: { recipient_ids: ["r"] },
  replaceRecipients: { recipient_ids: ["r"] },
  updateAlias: { active: false },
  updateAliasRules: { messages_left: 1 },
  updateAliasWebsite: { website: "shop.example" },
  createContact: { email: "shop@other.example" },
  updateContact: { blocking: "reject" },
  blockSender: { sender: "spam.example" },
  createWebhook: { url: "https://shop.example/postern", events: ["alias.created"] },
  createApiKey: { name: "Program", scopes: ["aliases:read"] },
  updateWebhook: { active: false },
  addRecipient: { recipient_email: "me@home.example" },
  updateRecipient: { active: false },
  reassignRecipient: { recipient_id: "other" },
};

test("a suspended account gets 403 from every route that needs a token, and nobody else does", async () => {
  const world = await openWorld(issuer);
  const own = ROUTES.filter(({ open }) => !open);
  expect(own.length).toBeGreaterThan(12);
  await world.service.suspendAccount({ account: "alice" });
  for (const { method, path, operationId } of own) {
    const url = path
      .replace("{alias_id}", "a")
      .replace("{recipient_id}", "r")
      .replace("{contact_id}", "c".repeat(26))
      .replace("{message_id}", "0".repeat(16) + "m".repeat(26))
      .replace("{blocked_sender_id}", "b".repeat(26))
      .replace("{webhook_id}", "w".repeat(26))
      .replace("{key_id}", "k".repeat(26));
    const body = BODIES[operationId];
    const request = body === undefined ? {} : { body };
    const refused = await world.call(method, url, request);
    expect(refused, operationId).toMatchObject({
      status: 403,
      body: { code: "account_suspended", detail: expect.stringContaining("Ask the operator what to do.") },
    });
    const other = await world.call(method, url, { ...request, as: "bob" });
    expect(other.body?.code, operationId).not.toBe("account_suspended");
  }
  expect((await world.call("GET", "/health", { as: null })).status).toBe(200);
  await world.service.resumeAccount({ account: "alice" });
  // As long as another process can remember it.
  world.advance(10_000);
  expect((await world.call("GET", "/aliases")).status).toBe(200);
});
