import { beforeEach, describe, expect, test } from "vitest";
import { openApiDocument } from "../src/index.ts";
import type { Schema } from "../src/openapi/schema.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

/* Where the input of an operation comes from in a request, and how errors in it are reported. */

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

describe("a request with several errors", () => {
  test("gets one response that lists all of them in terms of the request", async () => {
    const response = await world.call("PUT", "/aliases/%07/recipients", {
      headers: { "if-match": "3" },
      body: { recipient_ids: ["a", 7, ""], "a/b": 1 },
    });
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(response.body.errors).toHaveLength(5);
    expect(response.body.errors).toEqual(
      expect.arrayContaining([
        { parameter: "alias_id", reason: "must be text without control characters" },
        { parameter: "If-Match", reason: expect.stringContaining('"3", "4"') },
        { pointer: "/recipient_ids/1", reason: "must be a string" },
        { pointer: "/recipient_ids/2", reason: "must not be empty" },
        { pointer: "/a~1b", reason: "is not known" },
      ]),
    );
  });

  test("in its query: reports each parameter once", async () => {
    const query = "limit=0&limit=0&active=1&q=&cursor=x&recipient_id=%07&colour=blue";
    const { body } = await world.call("GET", `/aliases?${query}`);
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual(
      ["active", "colour", "cursor", "limit", "q", "recipient_id"].sort(),
    );
  });

  test("in its query: does not treat a repeated parameter as a list", async () => {
    const { body } = await world.call("GET", "/aliases?q=a&q=b&active=true&active=true");
    expect(body.errors).toEqual([
      { parameter: "active", reason: "must be given once" },
      { parameter: "q", reason: "must be given once" },
    ]);
  });

  test.each(["null", "[]", "7", '"x"'])("with the body %s: reports only the body", async (body) => {
    const { body: problem } = await world.call("POST", "/aliases", { body });
    expect(problem.errors).toEqual([{ pointer: "", reason: "must be an object" }]);
  });
});

test("reports a field under the client's name for it, even if core has another one", async () => {
  const body = { alias_email: "a@alias.example", alias_domain: "alias.example", recipient_ids: ["x"] };
  const { body: problem } = await world.call("POST", "/aliases", { body });
  expect(problem.errors).toEqual([
    { pointer: "/alias_email", reason: expect.stringContaining("must not be combined") },
  ]);
});

test("rejects members that use core's field names", async () => {
  const body = { recipientIds: ["x"], aliasId: "y", account: "bob", expectedVersions: [1] };
  const { body: problem } = await world.call("PUT", "/aliases/a/recipients", { body });
  expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/recipient_ids",
    "/recipientIds",
    "/aliasId",
    "/account",
    "/expectedVersions",
  ]);
});

describe("every limit in the OpenAPI document is enforced by core", () => {
  const document = openApiDocument();
  type Parameter = { readonly name: string; readonly in: string; readonly schema: Schema };
  type Operation = {
    readonly parameters: readonly Parameter[];
    readonly requestBody?: {
      readonly content: Record<string, { readonly schema: { readonly $ref: string } }>;
    };
  };
  const schemas = document.components.schemas as Record<
    string,
    { readonly properties: Record<string, Schema> }
  >;

  /** A host name of this length with labels of up to 50 letters. */
  const hostName = (length: number): string =>
    `${"x".repeat(length)}`
      .replace(/.{50}(?=.{3})/g, (label) => `${label.slice(1)}.`)
      .replace(/^x{3}/, "x.y");
  const text = (name: string, length: number): string => {
    if (/(^|_)email$/.test(name)) return `${"a".repeat(64)}@${hostName(length - 65)}`;
    if (name === "url") return `https://shop.example/${"x".repeat(length - 21)}`;
    return name === "alias_domain" ? hostName(length) : "x".repeat(length);
  };

  /** Values just inside and just outside each limit of a schema. */
  const limits = (name: string, schema: Schema): readonly (readonly [string, unknown, unknown])[] => {
    if ("anyOf" in schema) return schema.anyOf.flatMap((one) => limits(name, one));
    if (!("type" in schema)) return [];
    switch (schema.type) {
      case "string":
        return [
          ...(schema.maxLength === undefined
            ? []
            : [["maxLength", text(name, schema.maxLength), text(name, schema.maxLength + 1)] as const]),
          ...(schema.minLength === undefined ? [] : [["minLength", "x", ""] as const]),
          ...(schema.enum ?? []).map((value) => ["enum", value, `${value}x`] as const),
        ];
      case "integer":
        return [
          ["minimum", schema.minimum, (schema.minimum ?? 0) - 1],
          ["maximum", schema.maximum, (schema.maximum ?? 0) + 1],
        ];
      case "array": {
        const list = (length = 0) => Array.from({ length }, (_, i) => `id-${i}`);
        return [
          ...(schema.minItems === undefined
            ? []
            : [["minItems", list(schema.minItems), list(schema.minItems - 1)] as const]),
          ...(schema.maxItems === undefined
            ? []
            : [["maxItems", list(schema.maxItems), list(schema.maxItems + 1)] as const]),
        ];
      }
      default:
        return [];
    }
  };

  type Place = { readonly pointer?: string; readonly parameter?: string };
  const cases = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, json]) => {
      const { parameters, requestBody } = json as unknown as Operation;
      const body = schemas[requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1) ?? ""];
      const target = path.replaceAll(/\{\w+\}/g, "some-id");
      const fields = [
        ...parameters.map(({ name, in: where, schema }) => ({
          name,
          schema,
          place: { parameter: name } as Place,
          request: (value: unknown) => {
            const encoded = encodeURIComponent(String(value));
            return where === "path"
              ? { url: path.replace(`{${name}}`, encoded) }
              : { url: `${target}?${name}=${encoded}` };
          },
        })),
        ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
          name,
          schema,
          place: { pointer: `/${name}` } as Place,
          request: (value: unknown) => ({ url: target, body: { [name]: value } }),
        })),
      ];
      return fields.flatMap(({ name, schema, place, request }) =>
        limits(name, schema).map(
          ([limit, inside, outside]) =>
            [
              `${method} ${path}`,
              name,
              limit,
              { method, place, inside: request(inside), outside: request(outside) },
            ] as const,
        ),
      );
    }),
  );

  test("covers many limits", () => {
    expect(cases.length).toBeGreaterThan(40);
  });

  test.each(cases)("%s: %s, %s", async (_, __, ___, { method, place, inside, outside }) => {
    const errors = async ({ url, body }: { url: string; body?: object }) => {
      const response = await world.api.inject({
        method: method.toUpperCase() as "GET",
        url,
        headers: { authorization: `Bearer ${await issuer().token()}`, "content-type": "application/json" },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      expect(response.statusCode).not.toBe(401);
      expect(response.statusCode).toBeLessThan(500);
      return response.statusCode === 400 ? response.json().errors : [];
    };
    const here = expect.objectContaining(place);
    // An empty path parameter would make a different path.
    if (!outside.url.includes("//") && !outside.url.endsWith("/")) {
      expect(await errors(outside)).toContainEqual(here);
    }
    expect(await errors(inside)).not.toContainEqual(here);
  });
});
