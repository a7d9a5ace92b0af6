import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { err, type Store } from "@postern/core";
import { until } from "@postern/test-support/until";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { recordingLog } from "./support/log.ts";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

beforeEach(() => issuer().behave("well"));

describe("when the store fails", () => {
  const { log, lines } = recordingLog();
  const failing = (ping: Store["ping"], list: Store["aliases"]["list"]): Store => {
    const store = memoryStore();
    return { ...store, ping, aliases: { ...store.aliases, list } };
  };
  const unavailable = async () => err({ code: "unavailable" } as const);
  const open = async (store: Store) => openWorld(issuer(), { store, logger: log });
  beforeEach(() => {
    lines.length = 0;
  });

  test("health and requests get 503 with Retry-After", async () => {
    const down = await open(failing(unavailable, unavailable));
    for (const url of ["/health", "/aliases"]) {
      const response = await down.call("GET", url);
      expect(response).toMatchObject({
        status: 503,
        headers: { "retry-after": "1" },
        body: { code: "unavailable" },
      });
    }
    expect(lines).toEqual([]);
  });

  test.each([
    ["GET", "/aliases/a", undefined],
    ["PATCH", "/aliases/a", { active: false }],
    ["DELETE", "/aliases/a", undefined],
    ["POST", "/aliases/a/restore", undefined],
    ["PUT", "/aliases/a/recipients", { recipient_ids: ["r"] }],
    ["POST", "/aliases", { recipient_ids: ["r"] }],
    ["GET", "/recipients/r", undefined],
    ["PATCH", "/recipients/r", { active: false }],
    ["DELETE", "/recipients/r", undefined],
    ["POST", "/recipients/r/verification", undefined],
    ["POST", "/recipients/r/reassign", { recipient_id: "s" }],
  ] as const)("%s %s is 503 with Retry-After", async (method, url, body) => {
    const store = memoryStore();
    const down = await open({
      ...store,
      aliases: { ...store.aliases, findWithRecipients: unavailable },
      recipients: { ...store.recipients, find: unavailable, findAll: unavailable },
    });
    expect(await down.call(method, url, { body })).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { code: "unavailable" },
    });
    expect(lines).toEqual([]);
  });

  test("a browser gets a page that says so", async () => {
    const store = memoryStore();
    const down = await open({ ...store, recipients: { ...store.recipients, find: unavailable } });
    await down.call("POST", "/recipients", { body: { recipient_email: "me@mail.example" } });
    const url = `/recipients/verify?token=${down.links[0]}&confirm=true`;
    const response = await down.call("GET", url, { as: null, headers: { accept: "text/html" } });
    expect(response).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(response.body).toContain("Please try again");
  });

  test("health waits for the store, but not indefinitely", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const ping = vi.fn<Store["ping"]>(() => new Promise(() => {}));
    const silent = await open(failing(ping, unavailable));
    const statuses: number[] = [];
    void silent.call("GET", "/health", { as: null }).then(({ status }) => statuses.push(status));
    await until("the store was asked", () => ping.mock.calls.length > 0);
    vi.advanceTimersByTime(799);
    await setImmediate();
    expect(statuses).toEqual([]);
    vi.advanceTimersByTime(1);
    await until("there is a response", () => statuses.length > 0);
    expect(statuses).toEqual([503]);
  });

  test("an exception is 500, and neither response nor log repeats what was sent", async () => {
    const broken = await open(
      failing(unavailable, async () => {
        throw new TypeError("no row for me@mail.example, token eyJ");
      }),
    );
    const response = await broken.call("GET", "/aliases?limit=7");
    expect(response).toMatchObject({ status: 500, headers: SAFE, body: { code: "internal_error" } });
    const logged = JSON.stringify(lines);
    for (const text of [JSON.stringify(response.body), logged]) {
      expect(text).not.toMatch(/mail\.example|eyJ|limit=7|no row/);
    }
    expect(lines).toHaveLength(1);
    expect(logged).toContain("TypeError");
    expect(logged).toContain("store-failures.test.ts");
    expect(logged).toContain('"route":"/aliases"');
  });
});
