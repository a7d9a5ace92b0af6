import { readFileSync } from "node:fs";
import { SCOPES } from "@postern/core";
import { describe, expect, test, vi } from "vitest";
import { withResponses } from "../../../scripts/api-examples.ts";
import { openApiDocument } from "../src/index.ts";
import { PROBLEMS } from "../src/problems/problem.ts";
import { ROUTES } from "../src/routes/routes.ts";

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

const document = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");

describe("docs/api.md", () => {
  test("shows the responses that the API sends, and has an example of every route", async () => {
    const examples = await withResponses(document);
    // If this fails: npx -y pnpm@12 api-examples
    expect(document).toBe(examples.document);
    const documented = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...examples.routes].sort()).toEqual(documented.sort());
  });

  test("says which requests each scope of a key allows", () => {
    const items = [...document.matchAll(/^- `(\w+:\w+)`(, to .*(?:\n {2}.*)*)/gm)];
    const listed = items.map(([, scope, text = ""]) => [
      scope,
      [...text.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, request = ""]) => request).sort(),
    ]);
    const allowed = SCOPES.map((each) => [
      each,
      ROUTES.flatMap(({ method, path, scope }) => (scope === each ? [`${method} ${path}`] : [])).sort(),
    ]);
    expect(listed).toEqual(allowed);
  });

  test("lists every error code with its status", () => {
    const items = [...document.matchAll(/^- \*\*([45]\d\d)\*\*(.*(?:\n {2}.*)*)/gm)];
    const rows = items.flatMap(([, status, text = ""]) =>
      [...text.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => [code, Number(status)] as const),
    );
    const listed = Object.fromEntries(rows);
    expect(rows).toHaveLength(Object.keys(listed).length);
    expect(listed).toEqual(
      Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status])),
    );
  });
});
