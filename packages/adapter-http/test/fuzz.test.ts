import { Agent, request as ask, type IncomingHttpHeaders } from "node:http";
import { text as readText } from "node:stream/consumers";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assertDocumented } from "./support/conformance.ts";
import { bodyOf as bodySchemaOf, OPERATIONS, parametersOf } from "./support/described.ts";
import { fromSchema, HOSTILE_TEXTS, mutated, type Schema } from "./support/from-schema.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

/** By day, enough to meet every route and every common status. */
const REQUESTS = runsWhole(import.meta.url) ? 100_000 : 3_000;
/** Far more than any request takes, so that the report names the one that hangs. */
const TIMEOUT_MS = 30_000;
const TEST_TIMEOUT_MS = 300_000 + REQUESTS * 40;

/** Counts successful writes to the store. */
const counted = (store: Store) => {
  let writes = 0;
  /** The recipient that the last write created. */
  let created: string | null = null;
  const counting =
    <A extends unknown[], R extends { isOk(): boolean }>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const result = await write(...given);
      if (result.isOk()) {
        writes += 1;
        created = null;
      }
      return result;
    };
  const { aliases, recipients, webhooks, mailLedger } = store;
  const create = counting(recipients.create);
  const remove = counting(recipients.remove);
  return {
    writes: () => writes,
    store: {
      ...store,
      aliases: { ...aliases, create: counting(aliases.create), save: counting(aliases.save) },
      recipients: {
        ...recipients,
        create: async (...given) => {
          const result = await create(...given);
          if (result.isOk()) created = given[0].id;
          return result;
        },
        save: counting(recipients.save),
        remove: async (recipient) => {
          // A recipient whose message is refused is removed right after being added: in sum, nothing changes.
          const takenBack = recipient.id === created;
          const result = await remove(recipient);
          if (takenBack && result.isOk()) writes -= 2;
          return result;
        },
      },
      webhooks: {
        ...webhooks,
        create: counting(webhooks.create),
        save: counting(webhooks.save),
        remove: counting(webhooks.remove),
      },
      mailLedger: { ...mailLedger, save: counting(mailLedger.save) },
    } satisfies Store,
  };
};

const { store, writes } = counted(memoryStore());
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const issuer = useIssuer();
let world: World;
let port: number;
let tokens: Readonly<Record<"alice" | "bob" | "none" | "bad" | "expired", string | null>>;
type Kind = "alias" | "recipient" | "webhook" | "other";
/** Ids, cursors and links that exist so far. */
const known: Record<Kind, string[]> = { alias: [], recipient: [], webhook: [], other: [] };
beforeAll(async () => {
  // Low enough to be reached.
  world = await openWorld(issuer(), {
    store,
    limits: { recipients: 6 },
    webhookSending: { send: async () => ({ code: "delivered" }) },
    rateLimit: { perMinute: 1_000_000_000 },
  });
  const [alice, bob] = [await issuer().token(), await issuer().token({ sub: "bob" })];
  tokens = {
    alice,
    bob,
    none: null,
    bad: `${alice.slice(0, -8)}AAAAAAAA`,
    expired: await issuer().token({ exp: 1 }),
  };
  for (const name of ["a", "b", "c"]) known.recipient.push(await world.recipient(name));
  known.alias.push((await world.alias("first", known.recipient)).alias_id);
  known.recipient.push(await world.recipient("d", { owner: "bob" }));
  const webhook = { url: "https://shop.example/1", events: ["alias.updated", "message.failed"] };
  known.webhook.push((await world.call("POST", "/webhooks", { body: webhook })).body.webhook_id);
  port = Number(new URL(await world.api.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(async () => {
  agent.destroy();
  await world.api.close();
});

/** A placeholder for a known value of this kind, filled in when the request is sent. */
const reference = (kind: Kind) => fc.nat({ max: 999 }).map((n) => `@@${kind}:${n}@@`);
const resolved = (text: string): string =>
  text.replace(
    /@@(alias|recipient|webhook|other):(\d+)@@/g,
    (_, kind: Kind, n) => known[kind][Number(n) % known[kind].length] ?? "",
  );

/** Values that make sense for a member or parameter with this name. */
const knownAs = (name: string): fc.Arbitrary<string> => {
  if (name.startsWith("recipient_id")) return reference("recipient");
  if (name.endsWith("_email"))
    return fc
      .nat({ max: 500 })
      .map((n) => `${name.slice(0, 1)}${n}@${name === "alias_email" ? "alias" : "mail"}.example`);
  if (name === "url") return fc.nat({ max: 500 }).map((n) => `https://shop.example/${n}`);
  if (name === "alias_domain") return fc.constant("other-alias.example");
  return name === "cursor" || name === "token" ? reference("other") : fc.constantFrom("a", "shop", "A label");
};

const encoded = (value: unknown): string => {
  const whole = String(value);
  return whole.isWellFormed() ? encodeURIComponent(whole) : "%ED%A0%80";
};
const word = fc.oneof(
  { weight: 1, arbitrary: reference("other") },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS).map(encoded) },
  { weight: 1, arbitrary: fc.constantFrom("%ZZ", "%", "%C0%AF", "%00", "a%2Fb", "verify", ".", ";x") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }).map(encoded) },
);

const queryOf = (operation: Schema): fc.Arbitrary<string> => {
  const inQuery = parametersOf(operation).filter((each) => each.in === "query");
  if (inQuery.length === 0) return fc.constant("");
  const valid = fc.tuple(
    ...inQuery.map(({ name, schema }) =>
      fc.option(
        fromSchema(schema, knownAs).map(
          (value) => `${name}=${String(value).startsWith("@@") ? value : encoded(value)}`,
        ),
      ),
    ),
  );
  const odd = fc.tuple(
    fc.constantFrom("x", "account", "__proto__", ...inQuery.map(({ name }) => name)),
    word,
  );
  return fc
    .tuple(valid, fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: odd }))
    .map(([pairs, more]) => [
      ...pairs.filter((pair) => pair !== null),
      ...(more === null ? [] : [more.join("=")]),
    ])
    .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`));
};

const rawText = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "[]",
    "null",
    '{"__proto__":{}}',
    '{"a":1,"a":2}',
    "\ufeff{}",
    "[".repeat(2000),
    "x".repeat(70_000),
  ),
  fc.string({ unit: "binary", maxLength: 50 }),
);
const bodyOf = (operation: Schema): fc.Arbitrary<string | null> => {
  const schema = bodySchemaOf(operation);
  const valid = schema === undefined ? fc.constant({}) : fromSchema(schema, knownAs);
  const json = (value: fc.Arbitrary<unknown>) => value.map((whole) => JSON.stringify(whole));
  return fc.oneof(
    { weight: 5, arbitrary: schema === undefined ? fc.constant(null) : json(valid) },
    { weight: 3, arbitrary: json(mutated(valid)) },
    { weight: 1, arbitrary: rawText },
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

const often = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );

const kindIn = (path: string): Kind => {
  if (path.startsWith("/webhooks")) return "webhook";
  return path.startsWith("/aliases") ? "alias" : "recipient";
};

/** Values for the first id in a path. */
const idsOf = (path: string) =>
  fc.oneof({ weight: 8, arbitrary: reference(kindIn(path)) }, { weight: 1, arbitrary: word });

const requestOf = (path: string, method: string, operation: Schema) =>
  fc.record({
    method: often(method.toUpperCase(), "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"),
    target: fc
      .tuple(fc.constantFrom("", "/v1"), idsOf(path), queryOf(operation), often("", "/", "/x", "//"))
      .map(([prefix, id, query, tail]) => `${prefix}${path.replace(/\{\w+\}/, id)}${tail}${query}`),
    body: bodyOf(operation),
    type: often(
      "application/json",
      "application/merge-patch+json",
      "text/plain",
      "application/json; charset=utf-16",
      "",
    ),
    as: often<"alice" | "bob" | "none" | "bad" | "expired">("alice", "bob", "none", "bad", "expired"),
    headers: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Record<string, string>>({}) },
      {
        weight: 1,
        arbitrary: fc.record<Record<string, string>>(
          {
            "if-match": fc.oneof(
              fc.constantFrom("*", '"1"', '"1", "2"', 'W/"1"', "x", '"', '"99999999999999999999"'),
              reference("other"),
            ),
            accept: fc.constantFrom("text/html", "application/json", "*/*", "x"),
            origin: fc.constantFrom("https://app.example", "null"),
            "content-encoding": fc.constant("gzip"),
            "x-request-id": fc.constantFrom("a-1", "x y", "x".repeat(200)),
            "x-http-method-override": fc.constant("DELETE"),
          },
          { requiredKeys: [] },
        ),
      },
    ),
  });

const anyRequest = fc.oneof(
  ...OPERATIONS.map(({ path, method, operation }) => requestOf(path, method, operation)),
);

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
};
const send = ({ method, path, headers, body }: Sent) =>
  new Promise<{ statusCode: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const outgoing = ask({
      agent,
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { ...headers, ...length },
    });
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error("No response in time")));
    outgoing.on("error", reject);
    outgoing.on("response", async (response) => {
      resolve({
        statusCode: response.statusCode ?? 0,
        headers: response.headers,
        body: await readText(response),
      });
    });
    outgoing.end(body ?? undefined);
  });

const remember = (kind: Kind, text: string | undefined): void => {
  if (text === undefined || known[kind].includes(text)) return;
  known[kind].push(text);
  // The oldest is dropped, so that most known values still refer to something.
  if (known[kind].length > 20) known[kind].shift();
};

/** Remembers the values in a response that later requests can use. */
const learn = (body: string): void => {
  for (const kind of ["alias", "recipient", "webhook"] as const) {
    for (const [, id] of body.matchAll(new RegExp(`"${kind}_id":"([^"\\\\]+)"`, "g"))) remember(kind, id);
  }
  remember("other", /"next_cursor":"([^"]+)"/.exec(body)?.[1]);
  remember("other", world.links.at(-1));
};

test(`${REQUESTS} requests generated from the OpenAPI document`, {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(anyRequest, async ({ method, target, body, type, as, headers }) => {
      const path = resolved(target);
      const token = tokens[as];
      // Otherwise the limits would refuse nearly all messages.
      world.advance(5000);
      const before = writes();
      const response = await send({
        method,
        path,
        headers: {
          ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, resolved(value)])),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === null ? {} : { "content-type": type }),
        },
        body: body === null ? null : resolved(body),
      });
      seen.set(response.statusCode, (seen.get(response.statusCode) ?? 0) + 1);
      expect(response.statusCode).toBeLessThan(500);
      assertDocumented(method, path, response);
      if (response.statusCode >= 400 || method === "HEAD" || method === "OPTIONS")
        expect(writes()).toBe(before);
      if (token === null || as === "bad" || as === "expired") {
        if (!/^(\/v1)?\/(health|recipients\/verify)(\?|$)/.test(path)) expect(response.statusCode).toBe(401);
      }
      learn(response.body);
    }),
    { numRuns: REQUESTS, interruptAfterTimeLimit: TEST_TIMEOUT_MS },
  );
  // Otherwise the requests would be too similar to show anything.
  const statuses = [...seen.keys()].sort();
  // Only a few in 3,000 requests, so there may be none.
  const rare = REQUESTS < 50_000 ? [] : [403, 412, 413, 429];
  expect(statuses).toEqual(
    expect.arrayContaining([200, 201, 204, 400, 401, 404, 405, 409, 415, 422, ...rare]),
  );
  expect(writes()).toBeGreaterThan(REQUESTS / 50);
});
