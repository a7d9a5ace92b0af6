import { readFileSync } from "node:fs";
import { EVENT_TYPES } from "@postern/core";
import { expect, test } from "vitest";
import * as z from "zod";
import { openApiDocument } from "../src/index.ts";
import { assertDocumented } from "./support/conformance.ts";

const document = openApiDocument();

const Events = z.record(
  z.string(),
  z.object({
    post: z.object({
      operationId: z.string(),
      security: z.tuple([]),
      requestBody: z.object({
        content: z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) }),
      }),
    }),
  }),
);

const Event = z.object({
  properties: z.object({
    type: z.object({ enum: z.array(z.string()).optional(), const: z.string().optional() }),
  }),
});

test("docs/openapi.json is up to date: `pnpm openapi` writes it", () => {
  const written = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
  expect(written).toBe(`${JSON.stringify(document, null, 2)}\n`);
});

test("every reference has a target", () => {
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference,
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of new Set(names)) {
    expect(name).toMatch(/^#\/components\/schemas\/\w+$/);
    expect(document.components.schemas).toHaveProperty(String(name).replace("#/components/schemas/", ""));
  }
});

test("every operation has a unique id and says whether it needs a token", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const open = operations
    .filter(({ security }) => security !== undefined)
    .map(({ operationId }) => operationId);
  expect(open).toEqual(["verifyRecipient", "health"]);
});

test("documents each event, with a unique id and no token", () => {
  const paths = Object.values(document.paths).flatMap((item) => Object.values(item));
  const ids = new Set(paths.map(({ operationId }) => operationId));
  const types: unknown[] = [];
  for (const item of Object.values(Events.parse(document.webhooks))) {
    const { operationId, requestBody } = item.post;
    expect(ids).not.toContain(operationId);
    ids.add(operationId);
    const { $ref } = requestBody.content["application/json"].schema;
    const { type } = Event.parse(document.components.schemas[$ref.split("/").at(-1) ?? ""]).properties;
    types.push(...(type.enum ?? [type.const]));
  }
  expect(types).toEqual([...EVENT_TYPES, "webhook.test"]);
});

test("the helper that compares responses with the document notices differences", () => {
  const response = (statusCode: number, body: unknown, type = "application/json") => ({
    statusCode,
    headers: { "content-type": type },
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
