import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openApiDocument } from "../src/index.ts";
import { assertDocumented } from "./support/conformance.ts";

const document = openApiDocument();

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
