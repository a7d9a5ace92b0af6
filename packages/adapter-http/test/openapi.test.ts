import { readFileSync } from "node:fs";
import { EVENT_TYPES } from "@postern/core";
import { expect, test } from "vitest";
import * as z from "zod";
import { openApiDocument } from "../src/index.ts";
import { assertDocumented, validatorOf } from "./support/conformance.ts";
import { at, type Described, isDescribed, membersOf, OPERATIONS, resolved } from "./support/described.ts";

const document = openApiDocument();

/** The members of all objects that a part of the document describes. */
const membersIn = (part: unknown): readonly (readonly [name: string, schema: Described])[] => {
  if (Array.isArray(part)) return part.flatMap(membersIn);
  if (!isDescribed(part)) return [];
  return [...membersOf(at(part, "properties")), ...Object.values(part).flatMap(membersIn)];
};

test("docs/openapi.json is up to date: `pnpm openapi` writes it", () => {
  const written = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
  expect(JSON.parse(written)).toEqual(document);
  expect(Buffer.byteLength(written)).toBeLessThan(170 * 1024);
});

test("every reference has a target, and every component is referred to", () => {
  const targets = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g)].map(([, to]) => to),
  );
  const { securitySchemes: _, ...components } = document.components;
  const listed = membersOf(components).flatMap(([kind, each]) =>
    Object.keys(each).map((name) => `${kind}/${name}`),
  );
  expect([...targets].sort()).toEqual(listed.sort());
});

test("every server joined with every path is a URL on the host that the document is on", () => {
  for (const basePath of ["", "/mail", "/api/mail"]) {
    for (const { url } of openApiDocument(undefined, basePath).servers) {
      expect(url).toBe(`${basePath}/v1`);
      for (const path of Object.keys(document.paths)) {
        for (const joined of [url + path, new URL(url, "https://postern.test/openapi.json") + path]) {
          const { origin, pathname } = new URL(joined, "https://postern.test/openapi.json");
          expect([origin, decodeURI(pathname)]).toEqual(["https://postern.test", `${basePath}/v1${path}`]);
        }
      }
    }
  }
});

test("every operation has a unique id and says whether it needs a token", () => {
  const ids = OPERATIONS.map(({ operation }) => operation["operationId"]);
  expect(new Set(ids).size).toBe(ids.length);
  const open = OPERATIONS.filter(({ operation }) => operation["security"] !== undefined);
  expect(open.map(({ operation }) => operation["operationId"])).toEqual(["verifyRecipient", "health"]);
});

test("everything has a description and an example", () => {
  const described = { description: expect.any(String) };
  for (const { operation } of OPERATIONS) {
    expect(operation).toMatchObject({
      ...described,
      summary: expect.any(String),
      tags: [expect.any(String)],
    });
  }
  const { schemas, parameters, headers, responses } = document.components;
  for (const schema of Object.values(schemas)) {
    expect(schema).toMatchObject({ ...described, examples: [expect.anything()] });
  }
  for (const parameter of Object.values(parameters)) {
    expect(parameter).toMatchObject({ ...described, example: expect.anything() });
  }
  for (const header of Object.values(headers)) {
    expect(header).toMatchObject({ ...described, schema: { examples: [expect.anything()] } });
  }
  for (const response of Object.values(responses)) expect(response).toMatchObject(described);
  for (const [name, member] of membersIn(resolved(schemas))) {
    if (member["const"] === undefined) expect([name, member]).toMatchObject([name, described]);
  }
});

test("every example is valid", () => {
  for (const schema of Object.values(document.components.schemas)) {
    const [example] = z.object({ examples: z.tuple([z.unknown()]) }).parse(schema).examples;
    const valid = validatorOf(schema as object);
    expect(valid(example), JSON.stringify([example, valid.errors])).toBe(true);
  }
});

test("there is one webhook, whose events have the types that can be subscribed to, and that of tests", () => {
  const { mapping } = z
    .object({ discriminator: z.object({ mapping: z.record(z.string(), z.string()) }) })
    .parse(document.components.schemas["Event"]).discriminator;
  expect(Object.keys(mapping)).toEqual([...EVENT_TYPES, "webhook.test"]);
  expect(Object.keys(document.webhooks)).toEqual(["event"]);
});

test("the helper that compares responses with the document notices differences", () => {
  const response = (statusCode: number, body: unknown, type = "application/json") => ({
    statusCode,
    headers: { "content-type": type, "cache-control": "no-store", "x-request-id": "1" },
    body: JSON.stringify(body),
  });
  const check =
    (...args: Parameters<typeof response>) =>
    () =>
      assertDocumented("GET", "/v1/health", response(...args));
  expect(check(200, { status: "ok" })).not.toThrow();
  expect(check(200, { status: "fine" })).toThrow(/not as documented/);
  expect(check(200, { status: "ok", more: 1 })).toThrow(/not as documented/);
  expect(check(200, {})).toThrow(/not as documented/);
  expect(check(204, {})).toThrow(/not documented/);
  expect(check(200, { status: "ok" }, "text/plain")).toThrow(/undocumented type/);
  expect(check(503, {}, "application/problem+json")).toThrow(/lacks the header Retry-After/);
});
