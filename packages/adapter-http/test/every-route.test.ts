import { LoggedMessage, NO_LIMITS, parseAccountId, parseAliasId } from "@postern/core";
import { testBody, testMessage, valueOf } from "@postern/core/testing";
import { newStore } from "@postern/test-support/new-store";
import { expect, test, vi } from "vitest";
import { ROUTES } from "../src/routes/routes.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

/* By day, this is all of the HTTP suite that runs on other stores than that in memory: the contract shows what a store does. */

const issuer = useIssuer();

/** The current time in these tests, in the year 2050. */
const NOW = Date.UTC(2050) + 1_000;

test.each(["memory", "sqlite", "dynamodb"])(
  "every route succeeds on %s, and later requests see what earlier ones did",
  async (kind) => {
    const world = await openWorld(issuer(), {
      store: await newStore(kind),
      webhookSending: { send: async () => ({ code: "delivered" }) },
    });
    const met = new Set<string>();
    /** Calls the route with this operation id at a path, which must succeed. Returns the response's body. */
    const call = async (operationId: string, path: string, body?: unknown) => {
      const route = ROUTES.find((route) => route.operationId === operationId);
      if (route === undefined) return expect.unreachable(`no route is ${operationId}`);
      const response = await world.call(route.method, path, { as: route.open ? null : "alice", body });
      expect(response.status, `${operationId}: ${JSON.stringify(response.body)}`).toBeOneOf([
        200, 201, 202, 204,
      ]);
      met.add(operationId);
      return response.body;
    };

    // It takes a second at most, which a busy machine can need for its first call to a store.
    await vi.waitFor(() => call("health", "/health"), { timeout: 120_000 });

    expect((await call("getService", "/service")).alias_domains).toContain("alias.example");

    const ids: string[] = [];
    for (const name of ["home", "work"]) {
      const added = await call("addRecipient", "/recipients", { recipient_email: `${name}@mail.example` });
      ids.push(added.recipient_id);
    }
    const [home = "", work = ""] = ids;
    world.advance(60_000);
    await call("resendVerification", `/recipients/${work}/verification`);
    for (const link of [world.links[0], world.links[2]]) {
      expect(await call("verifyRecipient", `/recipients/verify?token=${link}&confirm=true`)).toEqual({
        verified: true,
      });
    }
    expect(await call("getRecipient", `/recipients/${work}`)).toMatchObject({ verified: true, active: true });
    expect((await call("listRecipients", "/recipients")).recipients).toHaveLength(2);

    const created = await call("createAlias", "/aliases", {
      alias_email: "shop@alias.example",
      recipient_ids: [home],
    });
    const alias = `/aliases/${created.alias_id}`;
    await call("replaceRecipients", `${alias}/recipients`, { recipient_ids: [work, home] });
    expect((await call("getAliasRecipients", `${alias}/recipients`)).recipients).toMatchObject([
      { recipient_id: work },
      { recipient_id: home },
    ]);
    expect(await call("updateAlias", alias, { description: "shops" })).toMatchObject({
      description: "shops",
    });
    expect(await call("getAlias", alias)).toMatchObject({
      description: "shops",
      destination_emails: ["work@mail.example", "home@mail.example"],
    });
    expect((await call("listAliases", "/aliases?q=shops")).aliases).toHaveLength(1);
    await call("updateAliasRules", `${alias}/rules`, { accept_from: "written_to" });
    expect(await call("getAliasRules", `${alias}/rules`)).toMatchObject({ accept_from: "written_to" });

    await call("updateAliasWebsite", `${alias}/website`, { website: "https://news.example/" });
    expect(await call("getAliasWebsite", `${alias}/website`)).toEqual({ website: "news.example" });
    expect((await call("listAliases", "/aliases?q=news.example")).aliases).toHaveLength(1);

    const contact = await call("createContact", `${alias}/contacts`, { email: "bob@sender.example" });
    await call("updateContact", `${alias}/contacts/${contact.contact_id}`, { blocking: "reject" });
    expect(await call("getContact", `${alias}/contacts/${contact.contact_id}`)).toMatchObject({
      blocking: "reject",
    });
    expect((await call("listContacts", `${alias}/contacts`)).contacts).toHaveLength(1);
    const found = await call("listContacts", `${alias}/contacts?email=BOB@sender.example`);
    expect(found.contacts).toMatchObject([{ contact_id: contact.contact_id, blocking: "reject" }]);

    const blocked = await call("blockSender", "/blocked-senders", { sender: "spam.example" });
    expect((await call("listBlockedSenders", "/blocked-senders")).blocked_senders).toEqual([blocked]);
    await call("unblockSender", `/blocked-senders/${blocked.blocked_sender_id}`);

    const message = testMessage(
      { account: valueOf(parseAccountId("alice")), id: valueOf(parseAliasId(created.alias_id)) },
      { at: NOW, keptBody: testBody(NOW + 600_000) },
    );
    valueOf(await world.store.messageLog.save(message, NO_LIMITS));
    expect((await call("listMessages", `${alias}/messages`)).messages).toMatchObject([
      { contact: { contact_id: contact.contact_id } },
    ]);
    await call("getMessage", `${alias}/messages/${LoggedMessage.position(message)}`);
    await call("resendMessage", `${alias}/messages/${LoggedMessage.position(message)}/resend`);

    const webhook = await call("createWebhook", "/webhooks", {
      url: "https://shop.example/postern",
      events: ["alias.created"],
    });
    const at = `/webhooks/${webhook.webhook_id}`;
    await call("updateWebhook", at, { events: ["alias.deleted"] });
    expect(await call("getWebhook", at)).toMatchObject({ events: ["alias.deleted"] });
    expect((await call("listWebhooks", "/webhooks")).webhooks).toHaveLength(1);
    expect(await call("testWebhook", `${at}/test`)).toMatchObject({ delivered: true });
    await call("deleteWebhook", at);

    const key = await call("createApiKey", "/keys", { name: "Manager", scopes: ["aliases:create"] });
    expect(key.secret).toMatch(/^pk_\w{40}$/);
    const { secret: _, ...shown } = key;
    expect((await call("listApiKeys", "/keys")).keys).toEqual([shown]);
    await call("deleteApiKey", `/keys/${key.key_id}`);

    const reassigned = await call("reassignRecipient", `/recipients/${home}/reassign`, {
      recipient_id: work,
    });
    expect(reassigned.reassigned).toEqual([created.alias_id]);
    await call("updateRecipient", `/recipients/${home}`, { active: false });
    await call("deleteRecipient", `/recipients/${home}`);
    await call("deleteAlias", alias);
    expect(await call("restoreAlias", `${alias}/restore`)).toMatchObject({
      destination_emails: ["work@mail.example"],
    });

    expect(ROUTES.map(({ operationId }) => operationId).filter((id) => !met.has(id))).toEqual([]);
  },
  // DynamoDB Local alone can take a minute to start.
  300_000,
);
