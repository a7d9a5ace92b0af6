import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BARE, BARE_DYNAMODB, BARE_SQLITE, POSTERN, USER_WRITTEN } from "../support/contenders.ts";
import { accountName, aliasAt, type Fixture, recipientAt, unverifiedAt } from "../support/fixture.ts";
import { AUDIENCE, startIssuer } from "../support/server.ts";
import type { Setup } from "../support/setup.ts";
import { type RunningContender, startContender } from "../support/start-contender.ts";

/* The baselines are honest: they respond as Postern does, and refuse what it refuses. */

/** An account for each baseline, because Postern gets every request that a baseline gets, and one that nobody changes. */
const fixture: Fixture = { accounts: 7, aliases: 10, recipients: 50, attached: 3 };
const PER_MINUTE = 40;

const BASELINES = [BARE, BARE_SQLITE, BARE_DYNAMODB, ...USER_WRITTEN];

type Request = {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let dynamoDb: DynamoDb;
let postern: RunningContender;
const baselines = new Map<string, RunningContender>();

beforeAll(async () => {
  [issuer, dynamoDb] = await Promise.all([startIssuer(), sharedDynamoDb()]);
  const setup: Setup = {
    issuer: issuer.url,
    audience: AUDIENCE,
    perMinute: PER_MINUTE,
    fixture,
    directory: newDirectory(),
    database: await dynamoDb.newTable(),
    dynamoDbEndpoint: dynamoDb.endpoint,
    store: "memory",
    accessLog: false,
    metrics: false,
  };
  [postern] = await Promise.all([
    startContender(POSTERN, setup),
    ...BASELINES.map(async (baseline) => baselines.set(baseline.name, await startContender(baseline, setup))),
  ]);
});

afterAll(async () => {
  await Promise.all([postern, ...baselines.values()].map(({ stop }) => stop()));
  issuer.stop();
});

const ids = (account: number, ...numbers: readonly number[]): string =>
  JSON.stringify({ recipient_ids: numbers.map((n) => recipientAt(account, n).id) });

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const put = (account: number, body: string, alias = 0): Request => ({
  method: "PUT",
  path: `/aliases/${aliasAt(fixture, account, alias).id}/recipients`,
  token: issuer.token(accountName(account)),
  body,
});

/** What a client sees of a response, except for the time of the change. */
const send = async ({ url }: RunningContender, { method, path, token, headers, body }: Request) => {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type")?.split(";")[0],
    etag: response.headers.get("etag"),
    text: text.replace(/("datetime_updated":)(?!1767225600000)\d{13}/, "$1…"),
    headers: response.headers,
  };
};

/** Several requests, because a response can depend on earlier ones. */
const ACCEPTED: Readonly<Record<string, (account: number) => readonly Request[]>> = {
  "a replacement": (account) => [put(account, ids(account, 3, 4, 5))],
  "a replacement in another order, and back": (account) => [
    put(account, ids(account, 2, 0, 1), 1),
    put(account, ids(account, 0, 1, 2), 1),
  ],
  "the current list": (account) => [put(account, ids(account, 0, 1, 2), 2)],
  "an id that is listed twice": (account) => [put(account, ids(account, 7, 8, 7), 3)],
  "a list of one, and one of 40": (account) => [
    put(account, ids(account, 9), 4),
    put(account, ids(account, ...upTo(40)), 4),
  ],
};

const tampered = (account: number): string => {
  const [head, , signature] = issuer.token(accountName(account)).split(".");
  const [, payload] = issuer.token(accountName(account + 1)).split(".");
  return `${head}.${payload}.${signature}`;
};

const REFUSED: Readonly<Record<string, (account: number) => Partial<Request>>> = {
  "no token": () => ({ token: null }),
  "a malformed token": () => ({ token: "a.b.c" }),
  "a token with another payload": (account) => ({ token: tampered(account) }),
  "a token that has expired": (account) => ({
    token: issuer.token(accountName(account), { iat: 1_700_000_000, exp: 1_700_003_600 }),
  }),
  "a token for another client": (account) => ({
    token: issuer.token(accountName(account), { aud: "another" }),
  }),
  "a token of another issuer": (account) => ({
    token: issuer.token(accountName(account), { iss: "https://another.example" }),
  }),
  "an access token": (account) => ({ token: issuer.token(accountName(account), { token_use: "access" }) }),
  "an alias that is not there": () => ({ path: "/aliases/none/recipients" }),
  "another account's alias": () => ({ token: issuer.token("another") }),
  "a recipient that is not there": () => ({ body: JSON.stringify({ recipient_ids: ["none"] }) }),
  "a recipient that is not verified": (account) => ({
    body: JSON.stringify({ recipient_ids: [recipientAt(account, 3).id, unverifiedAt(account).id] }),
  }),
  "an empty list": (account) => ({ body: ids(account) }),
  "41 recipients": (account) => ({ body: ids(account, ...upTo(41)) }),
  "an id that is a number": () => ({ body: JSON.stringify({ recipient_ids: [1] }) }),
  "a body without a list": () => ({ body: "{}" }),
  "a body that is not JSON": () => ({ body: "{" }),
  "a body of another type": () => ({ headers: { "content-type": "text/plain" } }),
  "a body that is too large": () => ({ body: JSON.stringify({ recipient_ids: ["x".repeat(70_000)] }) }),
};

describe.each(BASELINES.map(({ name }, account) => ({ name, account })))("$name", ({ name, account }) => {
  const baseline = (): RunningContender => {
    const found = baselines.get(name);
    if (found === undefined) throw new Error(`${name} did not start`);
    return found;
  };

  test.for(Object.entries(ACCEPTED))("responds like Postern to %s", async ([, requests]) => {
    for (const request of requests(account)) {
      const { headers, ...own } = await send(baseline(), request);
      const { headers: _, ...expected } = await send(postern, request);
      expect(own).toEqual(expected);
      expect(own.status).toBe(200);
      expect([...headers.keys()]).toContainEqual(expect.stringMatching(/^(x-)?ratelimit/));
    }
  });

  test.for(Object.entries(REFUSED))("refuses %s, like Postern", async ([, different]) => {
    const request = { ...put(account, ids(account, 3)), ...different(account) };
    const { status } = await send(baseline(), request);
    expect(status).toBe((await send(postern, request)).status);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test("limits the requests of an account", async () => {
    const request = { ...put(account, "{}"), token: issuer.token(`limited ${account}`.replace(" ", "-")) };
    for (const contender of [baseline(), postern]) {
      const statuses = [];
      for (let n = 0; n <= PER_MINUTE; n += 1) statuses.push((await send(contender, request)).status);
      expect(statuses.map((status) => status === 429)).toEqual([...upTo(PER_MINUTE).map(() => false), true]);
    }
  });
});

test.each([BARE, BARE_SQLITE])(
  "the list of $name is the same as Postern's, page by page",
  async ({ name }) => {
    const bare = baselines.get(name);
    if (bare === undefined) throw new Error("it did not start");
    const token = issuer.token(accountName(BASELINES.length));
    let query = "limit=4";
    for (const aliases of [4, 4, 2]) {
      const request = { method: "GET", path: `/aliases?${query}`, token };
      const { headers: _, ...page } = await send(bare, request);
      const { headers: __, ...expected } = await send(postern, request);
      expect(page).toEqual(expected);
      const { aliases: found, next_cursor } = JSON.parse(page.text);
      expect(found).toHaveLength(aliases);
      query = `limit=4&cursor=${next_cursor}`;
    }
    expect(query).toBe("limit=4&cursor=null");
    for (const path of ["/aliases?limit=101", "/aliases?limit=0", "/aliases?cursor=none"]) {
      const request = { method: "GET", path, token };
      expect((await send(bare, request)).status).toBe((await send(postern, request)).status);
    }
  },
);
