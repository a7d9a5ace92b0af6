import { connect } from "node:net";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startServerProcess } from "./support/server-process.ts";

const Line = z.object({
  msg: z.string(),
  requestId: z.string().optional(),
  account: z.string().optional(),
  cause: z.string().optional(),
  reason: z.string().optional(),
});
const Recipient = z.object({ recipient_id: z.string() });
const Alias = z.object({ alias_id: z.string(), alias_email: z.string() });
const Webhook = z.object({ webhook_id: z.string(), secret: z.string() });

/** Writes bytes that may not be HTTP, and returns the response. */
const send = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.end(bytes);
  return (await socket.toArray()).join("");
};

test("no address, token, body or query of a request reaches the log, at any level", async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const mailbox = await startMailbox(0, {
    // Like many servers, it repeats the address.
    onRcptTo: ({ address }, _session, done) =>
      done(
        address.startsWith("refused")
          ? Object.assign(new Error(`<${address}>`), { responseCode: 550 })
          : null,
      ),
  });
  onTestFinished(mailbox.stop);
  const metricsPort = await freePort();
  const dns = await startFakeDns({ "hook.private.example": { A: ["127.0.0.1"] } });
  onTestFinished(dns.close);
  const server = await startServerProcess({
    ...environment,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_DNS: `127.0.0.1:${dns.port}`,
    POSTERN_SMTP_URL: `${mailbox.url.replace("//", "//smtp-user:smtp-password@")}?tls.rejectUnauthorized=false`,
    POSTERN_LOG_LEVEL: "trace",
    POSTERN_ACCESS_LOG: "true",
    POSTERN_METRICS_PORT: `${metricsPort}`,
  });
  onTestFinished(async () => void (await server.stop()));
  const port = Number(new URL(server.url).port);

  const ids: string[] = [];
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${provider.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    ids.push(response.headers.get("x-request-id") ?? "");
    const text = await response.text();
    return { status: response.status, json: (): unknown => JSON.parse(text) };
  };

  // Successful requests.
  const hook = { url: "https://hook.private.example/path-private?query-private", events: ["alias.updated"] };
  const hooked = await call("POST", "/webhooks", hook);
  expect(hooked.status).toBe(201);
  const webhook = Webhook.parse(hooked.json());
  expect(await call("GET", "/webhooks")).toMatchObject({ status: 200 });
  expect(await call("PATCH", `/webhooks/${webhook.webhook_id}`, { events: ["alias.created"] })).toMatchObject(
    {
      status: 200,
    },
  );
  expect((await call("POST", `/webhooks/${webhook.webhook_id}/test`)).json()).toMatchObject({
    reason: "its address is in a private network",
  });
  expect(await call("GET", "/health")).toMatchObject({ status: 200 });
  const added = await call("POST", "/recipients", { recipient_email: "ada.private@example.com" });
  expect(added.status).toBe(201);
  const { recipient_id: recipient } = Recipient.parse(added.json());
  const link = new URL(/^http:\S+$/m.exec(mailbox.messages[0]?.text ?? "")?.[0] ?? "");
  const verify = `/recipients/verify${link.search}`;
  expect(await call("GET", verify, undefined, { accept: "text/html" })).toMatchObject({ status: 200 });
  expect(await call("GET", `${verify}&confirm=true`)).toMatchObject({ status: 200 });
  const created = await call("POST", "/aliases", {
    alias_email: "shop.private@alias.example.com",
    description: "private description",
    recipient_ids: [recipient],
  });
  expect(created.status).toBe(201);
  const { alias_id: alias } = Alias.parse(created.json());
  const generated = Alias.parse((await call("POST", "/aliases", { recipient_ids: [recipient] })).json());
  expect(await call("GET", "/aliases?q=shop.private@alias")).toMatchObject({ status: 200 });
  expect(await call("PUT", `/aliases/${alias}/recipients`, { recipient_ids: [recipient] })).toMatchObject({
    status: 200,
  });
  expect(await call("PATCH", `/aliases/${alias}`, { description: "private change" })).toMatchObject({
    status: 200,
  });

  // Rejected requests.
  const foreign = provider.tokenOf("private-sub", "test", { aud: "private-audience", iss: "private-issuer" });
  const rejected: readonly (readonly [number, Parameters<typeof call>])[] = [
    [401, ["GET", "/aliases", undefined, { authorization: `Bearer ${provider.token}forged-private` }]],
    [401, ["GET", "/aliases", undefined, { authorization: `Bearer ${foreign}` }]],
    [401, ["GET", "/recipients?token=query-private", undefined, { authorization: "Basic private-basic" }]],
    [401, ["GET", "/path.private@example.com", undefined, { authorization: "" }]],
    [404, ["GET", "/path.private@example.com?a=query-private"]],
    [404, ["GET", "/aliases/path.private@example.com"]],
    [400, ["GET", "/%E0%A4%A?q=query-private"]],
    [400, ["GET", "/recipients/verify?token=link-private&confirm=true"]],
    [400, ["POST", "/aliases", '{"alias_email":"body-private']],
    [400, ["POST", "/aliases", { alias_email: "body-private", "key-private": 1 }]],
    [415, ["POST", "/aliases", "body-private", { "content-type": "text/plain" }]],
    [413, ["POST", "/aliases", "body-private".repeat(10_000)]],
    [409, ["POST", "/recipients", { recipient_email: "ADA.private@example.com" }]],
    [409, ["DELETE", `/recipients/${recipient}`]],
    [412, ["PATCH", `/aliases/${alias}`, { description: "private" }, { "if-match": '"99"' }]],
    [200, ["GET", "/health", undefined, { "x-request-id": "id.private@example.com" }]],
    [200, ["GET", "/health", undefined, { "x-request-id": "an-id-of-the-client" }]],
  ];
  for (const [status, request] of rejected)
    expect([request, await call(...request)]).toMatchObject([{}, { status }]);

  // Input that is not HTTP, or never ends.
  expect(await send(port, "NOT-HTTP-private\r\n\r\n")).toContain(" 400 ");
  expect(await send(port, `GET /?${"query-private".repeat(5000)} HTTP/1.1\r\nHost: a\r\n\r\n`)).toContain(
    " 431 ",
  );
  await send(port, "POST /aliases HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nbody-private");

  // Failures of other systems.
  provider.break(true);
  const unknown = provider.tokenOf("private-sub", "private-key-id");
  await call("GET", "/recipients", undefined, { authorization: `Bearer ${unknown}` });
  const refused = await call("POST", "/recipients", { recipient_email: "refused.private@example.com" });
  expect(refused.json()).toMatchObject({ verification_mail: "not_sent" });
  await mailbox.stop();
  const unsent = await call("POST", "/recipients", { recipient_email: "bob.private@example.com" });
  expect(unsent.json()).toMatchObject({ verification_mail: "not_sent" });

  // The created aliases have been announced to the webhook, to which nothing can be delivered.
  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await expect.poll(scrape).toContain('postern_webhook_events_total{outcome="failed"} 1\n');
  expect(await scrape()).not.toContain("private");

  const output = await server.stop();
  const lines = output
    .trim()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
  // Every request was logged: no two have the same route and status, so none was left out as part of a flood.
  const loggedIds = lines.map(({ requestId }) => requestId);
  for (const id of ids) expect(loggedIds).toContain(id);
  expect(ids).toContain("an-id-of-the-client");
  expect(new Set(lines.map(({ account }) => account)).size).toBe(2);
  expect(lines.flatMap(({ cause }) => cause ?? [])).toEqual([
    "jwks HTTP 500",
    "smtp 550 to RCPT TO",
    expect.stringMatching(/^smtp (connect: ECONNREFUSED|connection closed|421)/),
  ]);
  const reasons = lines.flatMap(({ reason }) => reason ?? []);
  expect(reasons).toEqual(["signature", "issuer", "form", "form", "missing", "unknown_key"]);

  const [, payload = "", signature = ""] = provider.token.split(".");
  const [, foreignPayload = "", foreignSignature = ""] = foreign.split(".");
  const secrets = [
    "private",
    "example.com",
    "somebody",
    payload,
    signature,
    foreignPayload,
    foreignSignature,
    link.searchParams.get("token") ?? "",
    generated.alias_email,
    webhook.secret,
    webhook.webhook_id,
    alias,
    recipient,
    environment.POSTERN_LINK_SECRET,
    "smtp-password",
  ];
  for (const secret of secrets) {
    expect(secret).not.toBe("");
    expect(output.toLowerCase()).not.toContain(secret.toLowerCase());
  }
});

test("the gateway's secret is required of every request with a token, and never logged", async () => {
  const secret = "gateway-secret-private-0123456789";
  const provider = await startIdentityProvider();
  onTestFinished(provider.stop);
  const server = await startServerProcess({
    ...environment,
    HOST: "0.0.0.0",
    POSTERN_ISSUER: provider.issuer,
    POSTERN_AUTHORIZER: "gateway",
    POSTERN_GATEWAY_SECRET: secret,
    POSTERN_LOG_LEVEL: "trace",
    POSTERN_ACCESS_LOG: "true",
  });
  onTestFinished(async () => void (await server.stop()));
  const get = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/aliases`, { headers });
    return [response.status, await response.text()];
  };
  const authorization = `Bearer ${provider.token}`;
  expect(await get({ authorization, "X-Postern-Gateway-Secret": secret })).toEqual([200, expect.any(String)]);
  const unauthorized = [401, '{"message":"Unauthorized"}'];
  expect(await get({ authorization })).toEqual(unauthorized);
  expect(await get({ authorization, "X-Postern-Gateway-Secret": `${secret}0` })).toEqual(unauthorized);
  expect(await get({ "X-Postern-Gateway-Secret": secret })).toEqual(unauthorized);

  // `stop` checks that the secret is not in the output.
  expect(await server.stop()).toMatch(/"level":40,.*POSTERN_GATEWAY_SECRET/);
});
