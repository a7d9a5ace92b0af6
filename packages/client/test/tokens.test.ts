import { describe, expect, test } from "vitest";
import { type AskForToken, type InsufficientScope, throwing } from "../src/index.ts";
import type { Fault } from "./support/proxy.ts";
import { startService } from "./support/service.ts";

const { proxy, keysProxy, newAccount } = await startService();

/** Supplies one token until it is asked to renew it, and counts how often it is. */
const tokens = (first: string, ...renewed: readonly string[]) => {
  let current = first;
  const asked: boolean[] = [];
  const token: AskForToken = async ({ renew }) => {
    asked.push(renew);
    if (renew) current = renewed[asked.filter((each) => each).length - 1] ?? current;
    return current;
  };
  return { token, renewals: () => asked.filter((each) => each).length };
};

const refused = { ok: false, problem: { code: "unauthorized", status: 401 } };

test("an expired token is renewed once for all requests that it was sent with, however late they are answered", async () => {
  const { newClient, token, expired } = newAccount();
  const source = tokens(expired, token);
  const client = newClient({ token: source.token });
  const late = Promise.withResolvers<void>();
  const delayed: Fault = async (response, forward) => {
    const { status, headers, body } = await forward();
    await late.promise;
    response.writeHead(status, headers).end(body);
  };
  const { requests } = await proxy.during([delayed], async () => {
    let answered = 0;
    const calls = Array.from({ length: 20 }, async () => {
      const result = await client.listAliases();
      answered += 1;
      return result;
    });
    await expect.poll(() => answered).toBe(19);
    late.resolve();
    for (const result of await Promise.all(calls)) expect(result.ok).toBe(true);
  });
  expect(source.renewals()).toBe(1);
  expect(requests).toHaveLength(40);
  expect((await client.listAliases()).ok).toBe(true);
  expect(source.renewals()).toBe(1);
});

test("a token that expires between two pages is renewed, and the list goes on", async () => {
  const { client, newClient, token, expired } = newAccount();
  for (const sender of ["a.example", "b.example", "c.example"]) await client.blockSender(sender);
  const source = tokens(token, expired, token);
  const senders: string[] = [];
  for await (const item of newClient({ token: source.token }).allBlockedSenders({ limit: 1 })) {
    senders.push(item.ok ? item.data.sender : item.problem.code);
    if (senders.length === 1) await source.token({ renew: true });
  }
  expect(senders.toSorted()).toEqual(["a.example", "b.example", "c.example"]);
  expect(source.renewals()).toBe(2);
});

test("a token that is refused although it was renewed is not sent a third time, and renewed again by the next call", async () => {
  const { newClient, token, expired } = newAccount();
  const source = tokens(expired, expired, token);
  const client = newClient({ token: source.token });
  const { result, requests } = await proxy.during([], () => client.listAliases());
  expect(result).toMatchObject(refused);
  expect(requests).toHaveLength(2);
  expect((await client.listAliases()).ok).toBe(true);
});

test("a creation is also sent again with a renewed token, and what must not be repeated, too: a 401 has changed nothing", async () => {
  const { newClient, token, expired } = newAccount();
  for (const call of ["addRecipient", "resendVerification", "testWebhook"] as const) {
    const client = newClient({ token: tokens(expired, token).token });
    const { result, requests } = await proxy.during<{ ok: boolean }>([], () =>
      client[call]("me@home.example"),
    );
    expect(requests).toHaveLength(2);
    expect(result).not.toMatchObject(refused);
  }
});

test("a fixed token that is refused is not sent again", async () => {
  const { newClient, expired } = newAccount();
  const { result, requests } = await proxy.during([], () => newClient({ token: expired }).listAliases());
  expect(result).toMatchObject(refused);
  expect(requests).toHaveLength(1);
});

test.each<[string, AskForToken | string]>([
  ["is empty", ""],
  ["has several lines", "a\r\nX-Evil: 1"],
  ["is not ASCII", async () => "schlüssel"],
])("a token that %s is not sent", async (_, token) => {
  const { newClient } = newAccount();
  const { result, requests } = await proxy.during([], () => newClient({ token }).listAliases());
  expect(result).toMatchObject(refused);
  expect(requests).toEqual([]);
});

test("what the function for tokens throws is the cause, and later calls ask it anew", async () => {
  const { newClient, token, expired } = newAccount();
  const signedOut = new Error("signed out");
  const throwingAtOnce = newClient({
    token: () => {
      throw signedOut;
    },
  });
  expect(await throwingAtOnce.listAliases()).toMatchObject({ ok: false, problem: { cause: signedOut } });

  let fails = true;
  const client = newClient({
    token: async ({ renew }) => {
      if (renew && fails) throw signedOut;
      return renew ? token : expired;
    },
  });
  const both = await Promise.all([client.listAliases(), client.listRecipients()]);
  for (const result of both) expect(result).toMatchObject({ ...refused, problem: { cause: signedOut } });
  fails = false;
  expect((await client.listAliases()).ok).toBe(true);
});

test("what is public needs no token, and gets none", async () => {
  const { newClient } = newAccount();
  const client = newClient({
    token: () => {
      throw new Error("nobody has signed in");
    },
  });
  const { requests } = await proxy.during([], async () => {
    expect((await client.health()).ok).toBe(true);
    expect(await client.verifyRecipient({ token: "?&", confirm: "true" })).toMatchObject({
      problem: { code: "link_invalid" },
    });
  });
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
});

test("a failure as an exception tells its code, and no secret", async () => {
  const { newClient, expired } = newAccount();
  const { getAlias, allAliases } = throwing(newClient({ token: expired }));
  const failure = await getAlias("alias").catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: "ClientError",
    code: "unauthorized",
    message: "unauthorized: There is no token, or the API refuses it. Sign in again.",
    requestId: expect.any(String),
    retryAfter: null,
  });
  await expect(allAliases().next()).rejects.toMatchObject({ code: "unauthorized" });
});

describe("a key", () => {
  /** A client as a program with a key has it. */
  const programWith = (token: AskForToken | string) =>
    newAccount().newClient({ baseUrl: keysProxy.url, token });

  const newKey = async () => {
    const { data } = await throwing(newAccount().client).createApiKey({
      name: "A program",
      scopes: ["aliases:read"],
    });
    return data.secret;
  };

  test("does what its scopes allow, where the service takes keys", async () => {
    const program = programWith(await newKey());
    expect(await program.listAliases()).toMatchObject({ ok: true, data: { aliases: [] } });
    expect(await program.createAlias({ recipient_ids: ["a"] })).toMatchObject({
      ok: false,
      problem: {
        code: "insufficient_scope",
        status: 403,
        title: expect.any(String),
        detail: expect.any(String),
        required_scope: "aliases:create",
      } satisfies InsufficientScope,
    });
    expect(await program.addRecipient("me@home.example")).toMatchObject({
      ok: false,
      problem: { code: "insufficient_scope", required_scope: null },
    });
    expect((await program.health()).ok).toBe(true);
  });

  test("that is refused is sent once, or once more by whoever supplies others, and the service says why", async () => {
    const wrong = (await newKey()).replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const words = /key/;
    for (const [token, count] of [
      [wrong, 1],
      [tokens(wrong, wrong).token, 2],
    ] as const) {
      const { result, requests } = await keysProxy.during([], () => programWith(token).listAliases());
      expect(result).toMatchObject({ ...refused, problem: { detail: expect.stringMatching(words) } });
      expect(requests).toHaveLength(count);
    }
  });

  test("is refused by the API, and a token where keys are taken", async () => {
    const { newClient, token } = newAccount();
    expect(await newClient({ token: await newKey() }).listAliases()).toMatchObject(refused);
    expect(await programWith(token).listAliases()).toMatchObject(refused);
  });
});
