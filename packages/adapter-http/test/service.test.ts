import { memoryStore } from "@postern/adapter-memory";
import { MAX_API_KEYS, MAX_WEBHOOKS, type Store } from "@postern/core";
import { describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

/** A store that knows who is suspended, and whose every other call is a mistake. */
const untouchable = (): Store => {
  const { suspensions } = memoryStore();
  const unexpected = new Proxy(
    {},
    { get: (_, name) => () => expect.unreachable(`${String(name)} was called`) },
  );
  const parts = Object.keys(memoryStore()).map((name) => [name, unexpected]);
  return { ...Object.fromEntries(parts), suspensions };
};

describe("GET /service", () => {
  test("has the alias domains, whether events are sent, and every limit by its own name; reads nothing", async () => {
    const world = await openWorld(issuer(), {
      store: untouchable(),
      rateLimit: { perMinute: 11, creationsPerMinute: 12 },
      limits: {
        aliases: 13,
        recipients: 14,
        unverifiedRecipients: 15,
        contacts: 16,
        blockedSenders: 17,
        loggedMessagesOfAlias: 18,
        loggedMessages: 19,
        verificationMessages: 20,
      },
      webhookSending: { send: async () => ({ code: "delivered" }) },
    });
    const body = {
      alias_domains: ["alias.example", "other-alias.example"],
      webhooks: true,
      keys_url: "https://keys.test",
      limits: {
        requests_per_minute: 11,
        creations_per_minute: 12,
        aliases: 13,
        recipients: 14,
        unverified_recipients: 15,
        verification_messages_per_day: 20,
        blocked_senders: 17,
        webhooks: MAX_WEBHOOKS,
        keys: MAX_API_KEYS,
        contacts_per_alias: 16,
        logged_messages: 19,
        logged_messages_per_alias: 18,
      },
    };
    for (const as of ["alice", "bob"]) {
      expect(await world.call("GET", "/v1/service", { as })).toMatchObject({ status: 200, body });
    }
    expect(await world.call("GET", "/service", { as: null })).toMatchObject({ status: 401 });
    expect(await world.call("HEAD", "/service")).toMatchObject({ status: 200, body: "" });
  });

  test.each([{}, { rateLimit: { perMinute: 0 } }])(
    "has null for what is not limited: %j",
    async (options) => {
      const { call } = await openWorld(issuer(), options);
      const { body } = await call("GET", "/service");
      expect(body.webhooks).toBe(false);
      const { webhooks, keys, ...limits } = body.limits;
      expect([webhooks, keys]).toEqual([MAX_WEBHOOKS, MAX_API_KEYS]);
      expect(new Set(Object.values(limits))).toEqual(new Set([null]));
    },
  );
});
