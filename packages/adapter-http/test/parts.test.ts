import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { type Authorizer, createApi, openApiDocument } from "../src/index.ts";

const { aliases, recipients, mailLedger, creations, ping } = memoryStore();

/** A service on a store without contacts, blocked senders, messages, webhooks, keys and suspensions. */
const service = postern({
  store: { aliases, recipients, mailLedger, creations, ping },
  aliasDomains: ["alias.example"],
  ...testPorts(),
});

const authorizer: Authorizer = { authorize: async () => ok(valueOf(parseAccountId("alice"))) };

const api = () => {
  const opened = createApi({ postern: service, authorizer, publicDocument: true });
  onTestFinished(() => opened.close());
  return opened;
};

const LACKING = /contacts|messages|blocked-senders|webhooks|keys/;

test("the API and its document have no routes for operations that the service lacks, and all others", async () => {
  const { paths, webhooks, components } = openApiDocument(service);
  const all = Object.keys(openApiDocument().paths);
  expect(all.some((path) => LACKING.test(path))).toBe(true);
  expect(Object.keys(paths)).toEqual(all.filter((path) => !LACKING.test(path)));
  expect(webhooks).toEqual({});
  const served = await api().inject("/openapi.json");
  expect(served.json()).toEqual(openApiDocument(service));
  expect(
    Object.keys(components.schemas).filter((name) => /contact|message|webhook|event|apikey/i.test(name)),
  ).toEqual([]);
});

test.each([
  ["POST", "/webhooks"],
  ["GET", "/keys"],
  ["GET", "/blocked-senders"],
  ["PATCH", "/v1/aliases/shop/contacts/x"],
  ["GET", "/aliases/shop/messages"],
] as const)("%s %s is not found", async (method, url) => {
  const response = await api().inject({ method, url });
  expect([response.statusCode, response.json()]).toMatchObject([404, { code: "route_not_found" }]);
});

test("everything else works as always", async () => {
  const { id } = valueOf(await service.adoptRecipient({ account: "alice", email: "me@home.example" }));
  const created = await api().inject({ method: "POST", url: "/aliases", payload: { recipient_ids: [id] } });
  expect(created.statusCode).toBe(201);
  const wrongMethod = await api().inject({ method: "PUT", url: "/aliases" });
  expect([wrongMethod.statusCode, wrongMethod.headers["allow"]]).toEqual([405, "GET, HEAD, POST"]);
});
