import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { AUDIENCE, startIssuer } from "../../adapter-http/test/support/issuer.ts";
import { EVENTS, type GatewayKind, startGateway } from "../../adapter-lambda/test/support/local-gateway.ts";
import { createClient, throwing } from "../../client/src/index.ts";
import { adoptRecipient, answerOf, functionEnvironment, startFunction } from "./support/lambda.ts";

/* Clients, over HTTP, a gateway on this machine that verifies their tokens, and the built function in a process of its own. */

const KINDS = Object.keys(EVENTS) as GatewayKind[];
const ORIGIN = "https://app.postern.test";

const start = async (kind: GatewayKind) => {
  const variables = {
    ...(await functionEnvironment()),
    POSTERN_CORS_ORIGINS: ORIGIN,
    POSTERN_AUDIENCE: AUDIENCE,
  };
  const issuer = await startIssuer(z.string().parse(Reflect.get(variables, "POSTERN_ISSUER")));
  onTestFinished(async () => void (await issuer.stop()));
  const api = await startFunction("api", variables);
  const pool = { issuer: issuer.name, audience: AUDIENCE, jwksUri: issuer.jwksUri };
  return { issuer, variables, url: await startGateway(kind, pool, (event) => answerOf(api, event)) };
};

test.each(KINDS)("a client does its work through %s", async (kind) => {
  const { issuer, variables, url } = await start(kind);
  const client = throwing(createClient({ baseUrl: `${url}/v1`, token: await issuer.token() }));
  const [home, work] = [
    await adoptRecipient(variables, "alice", "home"),
    await adoptRecipient(variables, "alice", "work"),
  ];
  const description = "a,b + 50% / c";
  const made = await client.createAlias({ description, recipient_ids: [home] });
  const { alias_id } = made.data;
  expect((await client.listAliases({ q: description })).data.aliases).toMatchObject([{ alias_id }]);
  expect((await client.listAliases({ q: "another" })).data.aliases).toEqual([]);
  const replaced = await client.replaceRecipients(alias_id, [work, home], { ifMatch: made.etag });
  expect(replaced.data).toMatchObject({
    destination_emails: ["work@home.example", "home@home.example"],
  });
  await expect(client.replaceRecipients(alias_id, [home], { ifMatch: made.etag })).rejects.toMatchObject({
    problem: { code: "precondition_failed" },
  });
  await client.deleteAlias(alias_id);
  await client.restoreAlias(alias_id);
  expect((await client.getAlias(alias_id)).data).toMatchObject({ description, active: true });
  const bobs = throwing(createClient({ baseUrl: url, token: await issuer.token({ sub: "bob" }) }));
  await expect(bobs.getAlias(alias_id)).rejects.toMatchObject({ problem: { code: "alias_not_found" } });
});

test.each(KINDS)("%s lets nobody in without a good ID token, except where none is needed", async (kind) => {
  const { issuer, url } = await start(kind);
  const past = Math.floor(Date.now() / 1_000) - 60;
  const good = await issuer.token();
  const bad = {
    forged: `${good.slice(0, -6)}AAAAAA`,
    expired: await issuer.token({ iat: past - 60, exp: past }),
    access: await issuer.token({ token_use: "access", aud: undefined, client_id: AUDIENCE }),
    "another client's": await issuer.token({ aud: "another" }),
    "another issuer's": await issuer.token({ iss: "https://issuer.example/other" }),
  };
  const get = (path: string, token: string | null) =>
    fetch(url + path, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  for (const [name, token] of [...Object.entries(bad), ["none", null] as const]) {
    const response = await get("/aliases", token);
    expect([name, response.status, await response.text()]).toEqual([name, 401, '{"message":"Unauthorized"}']);
  }
  expect((await get("/aliases", good)).status).toBe(200);
  expect((await get("/health", null)).status).toBe(200);
  expect((await get("/v1/recipients/verify?token=x&confirm=true", null)).status).toBe(400);
  const preflight = await fetch(`${url}/aliases`, {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "POST" },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe(ORIGIN);
});
