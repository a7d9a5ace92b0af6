import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { clientWith, pause } from "../src/client.ts";
import { throwing } from "../src/index.ts";
import { changed, cut, type Fault, lost, reply } from "./support/proxy.ts";
import { startService } from "./support/service.ts";

/* Between the client and the API, everything can go wrong. */

const { proxy, newAccount } = await startService();

const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const PAGE = "<!doctype html><title>Welcome</title>";

const unavailable = (retryAfter: string): Fault =>
  reply(
    503,
    { "content-type": "application/problem+json", "retry-after": retryAfter },
    JSON.stringify({ code: "unavailable", status: 503, title: "Unavailable", detail: "Later." }),
  );

const PASSING: readonly (readonly [string, Fault])[] = [
  ["a lost connection", lost],
  ["an answer that is cut", cut],
  ["an answer without a body", reply(200, JSON_TYPE)],
  ["half of an answer with a length", reply(200, JSON_TYPE, '{"alias')],
  ["503 from the API", unavailable("1")],
  ["503 from a proxy, with a date", reply(503, { ...HTML, "retry-after": new Date().toUTCString() }, PAGE)],
  ["502 from a proxy", reply(502, HTML, PAGE)],
  ["504 from a proxy", reply(504, HTML, PAGE)],
  ["429 from a proxy", reply(429, HTML, PAGE)],
];

test.each(PASSING)("%s is tried again, three times at most", async (_, fault) => {
  const { client } = newAccount();
  const { result, requests } = await proxy.during([fault, fault, fault], () => client.listAliases());
  expect(result).toMatchObject({ ok: true, data: { aliases: [] } });
  expect(requests).toHaveLength(4);

  const lasting = await proxy.during([fault, fault, fault, fault], () => client.listAliases());
  expect(lasting.result).toMatchObject({
    ok: false,
    problem: { code: expect.stringMatching(/^(unreachable|unavailable)$/) },
  });
});

test.each(PASSING)("after %s, no second message and no second event is sent", async (_, fault) => {
  const { client } = newAccount();
  for (const send of [client.resendVerification, client.testWebhook]) {
    const { result, requests } = await proxy.during<{ ok: boolean }>([fault], () => send("id"));
    expect(result.ok).toBe(false);
    expect(requests).toHaveLength(1);
  }
});

test("pauses grow, differ by chance, and are never shorter than the API asks", async () => {
  const { client, pauses } = newAccount();
  await proxy.during([lost, lost, lost], () => client.health());
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(625 * 2 ** index);
  }
  await proxy.during([unavailable("60")], () => client.health());
  expect(pauses).toHaveLength(4);
  expect(pauses[3]).toBeGreaterThanOrEqual(60_000);
});

test("what the API asks for later than in a minute is left to the caller", async () => {
  const { client, pauses } = newAccount();
  const { result, requests } = await proxy.during([unavailable("61")], () => client.listAliases());
  expect(result).toMatchObject({ ok: false, problem: { code: "unavailable" }, retryAfter: 61 });
  expect([requests.length, pauses]).toEqual([1, []]);
});

test("with one attempt, nothing is repeated", async () => {
  const { newClient, pauses } = newAccount();
  const { result, requests } = await proxy.during([lost], () => newClient({ attempts: 1 }).listAliases());
  expect(result).toMatchObject({ ok: false, problem: { code: "unreachable", reason: "network" } });
  expect([requests.length, pauses]).toEqual([1, []]);
});

test("a creation whose answer is lost is repeated with its key, and creates one thing", async () => {
  const { client, newRecipient } = newAccount();
  const home = await newRecipient("home");
  const creations = [
    () => client.createAlias({ recipient_ids: [home] }),
    () => client.createAlias({ alias_email: "once@alias.example.com", recipient_ids: [home] }),
    () => client.createWebhook({ url: "https://shop.example/postern", events: ["alias.created"] }),
  ];
  const keys = new Set<unknown>();
  for (const create of creations) {
    const { result, requests } = await proxy.during<{ ok: boolean }>([lost, cut, cut], create);
    expect(result.ok).toBe(true);
    const [first, ...repeats] = requests.map(({ body, headers }) => [body, headers["idempotency-key"]]);
    expect(repeats).toEqual([first, first, first]);
    keys.add(first?.[1]);
  }
  expect(keys.size).toBe(creations.length);
  expect((await throwing(client).listAliases()).data.aliases).toHaveLength(2);
  expect((await throwing(client).listWebhooks()).data.webhooks).toHaveLength(1);

  const createWithKey = () =>
    throwing(client).createAlias({ recipient_ids: [home] }, { idempotencyKey: "from-the-caller" });
  const [one, other] = await Promise.all([createWithKey(), createWithKey()]);
  expect(one.data).toEqual(other.data);
});

test("at the limit of creations, the client waits as long as the server asks", async () => {
  const { client, pauses } = newAccount();
  let count = 0;
  let result: Awaited<ReturnType<typeof client.blockSender>>;
  do {
    pauses.length = 0;
    result = await client.blockSender(`spam-${count}.example`);
    count += 1;
  } while (result.ok);
  expect(result.problem.code).toBe("too_many_creations");
  expect(result.retryAfter).toBeLessThanOrEqual(60);
  expect(pauses).toHaveLength(3);
  for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(1000 * (result.retryAfter ?? 60));
});

test.each<[string, Fault, object]>([
  ["a page for people", reply(200, HTML, PAGE), { code: "unreachable", reason: "not_the_api", status: 200 }],
  [
    "a page that is missing",
    reply(404, HTML, PAGE),
    { code: "unreachable", reason: "not_the_api", status: 404 },
  ],
  [
    "a refusal without a code",
    reply(403, JSON_TYPE, '{"message": "Forbidden"}'),
    { reason: "not_the_api", status: 403 },
  ],
  ["a list instead of an object", reply(200, JSON_TYPE, "[]"), { reason: "not_the_api" }],
  ["null", reply(200, JSON_TYPE, "null"), { reason: "not_the_api" }],
  ["another success", reply(202, JSON_TYPE, "{}"), { reason: "not_the_api", status: 202 }],
  ["nothing, successfully", reply(204), { reason: "not_the_api", status: 204 }],
  ["an alias without its ETag", reply(200, JSON_TYPE, "{}"), { reason: "not_the_api" }],
  ["a redirect to this server", reply(302, { location: "/v1/health" }), { reason: "redirect", status: 302 }],
  [
    "a redirect that keeps the method",
    reply(308, { location: "/v1/health" }),
    { reason: "redirect", status: 308 },
  ],
  ["a sign-in page of a proxy", reply(401, HTML, PAGE), { code: "unauthorized" }],
])("%s is a failure at once", async (_, fault, problem) => {
  const { client } = newAccount();
  const { result, requests } = await proxy.during([fault], () => client.getAlias("alias"));
  expect(result).toMatchObject({ ok: false, problem });
  expect(requests).toHaveLength(1);
});

test("a deletion is not believed to a page for people", async () => {
  const { client } = newAccount();
  const { result } = await proxy.during([reply(200, HTML, PAGE)], () => client.deleteWebhook("webhook"));
  expect(result).toMatchObject({ ok: false, problem: { code: "unreachable", reason: "not_the_api" } });
});

test("an ETag that a proxy has weakened still protects against lost updates", async () => {
  const { client, newRecipient } = newAccount();
  const home = await newRecipient("home");
  const weakened = changed((answer) => {
    answer.headers["etag"] = `W/${answer.headers["etag"]}`;
  });
  const { result } = await proxy.during([weakened], () => client.createAlias({ recipient_ids: [home] }));
  if (!result.ok) return expect.unreachable(result.problem.detail);
  const { data, etag } = result;
  expect(await client.updateAlias(data.alias_id, { active: false }, { ifMatch: etag })).toMatchObject({
    ok: true,
    etag: '"2"',
  });
  expect(await client.updateAlias(data.alias_id, { active: true }, { ifMatch: etag })).toMatchObject({
    problem: { code: "precondition_failed" },
  });
});

test("an answer that does not come in time is tried again, and then given up", async () => {
  // Not the proxy: what is given up may arrive there during the next test.
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") return expect.unreachable("there is no port");
  const { newClient, pauses } = newAccount();
  const impatient = newClient({ baseUrl: `http://127.0.0.1:${address.port}` }, 10);
  expect(await impatient.health()).toMatchObject({
    ok: false,
    problem: { code: "unreachable", reason: "timeout" },
  });
  expect(pauses).toHaveLength(3);
});

test("a call can be aborted at any time, and others go on", async () => {
  const { client, newClient, token } = newAccount();
  const aborted = { ok: false, problem: { code: "unreachable", reason: "aborted" } };
  const before = await proxy.during([], () => client.listAliases({}, { signal: AbortSignal.abort() }));
  expect(before).toMatchObject({ result: aborted, requests: [] });

  const during = new AbortController();
  const abort: Fault = () => during.abort();
  const { result } = await proxy.during([abort], () => client.listAliases({}, { signal: during.signal }));
  expect(result).toMatchObject(aborted);

  const paused = new AbortController();
  const patient = clientWith(
    { baseUrl: proxy.url, token },
    { timeout: 120_000, pause: async () => paused.abort() },
  );
  const pausing = await proxy.during([lost], () => patient.health({ signal: paused.signal }));
  expect(pausing).toMatchObject({ result: aborted, requests: [{}] });

  const asked = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const asking = newClient({ token: () => promise });
  const [one, other] = [asking.listAliases({}, { signal: asked.signal }), asking.listAliases()];
  asked.abort();
  expect(await one).toMatchObject(aborted);
  resolve(token);
  expect(await other).toMatchObject({ ok: true });
});

test("a pause ends when its time has come, or when its call is aborted", async () => {
  await pause(1, undefined);
  const aborting = new AbortController();
  // In 24 days.
  const waiting = pause(2 ** 31 - 1, aborting.signal);
  aborting.abort();
  await waiting;
});
