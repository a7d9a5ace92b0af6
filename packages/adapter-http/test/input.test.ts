import { beforeEach, describe, expect, test } from "vitest";
import {
  at,
  bodyOf,
  type Described,
  isDescribed,
  membersOf,
  OPERATIONS,
  parametersOf,
} from "./support/described.ts";
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
  /** A host name of this length with labels of up to 50 letters. */
  const hostName = (length: number): string =>
    `${"x".repeat(length)}`
      .replace(/.{50}(?=.{3})/g, (label) => `${label.slice(1)}.`)
      .replace(/^x{3}/, "x.y");
  const text = (name: string, format: unknown, length: number): string => {
    if (format === "email") return `${"a".repeat(64)}@${hostName(length - 65)}`;
    if (name === "url") return `https://shop.example/${"x".repeat(length - 21)}`;
    return name === "alias_domain" || name === "sender" ? hostName(length) : "x".repeat(length);
  };

  type Limit = readonly [limit: string, inside: unknown, outside: unknown];
  const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

  /** Values just inside and just outside each limit of a schema. */
  const limits = (name: string, schema: Described): readonly Limit[] => {
    const { type, format, anyOf, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
    const list = (length: number) => Array.from({ length }, (_, i) => `id-${i}`);
    const found: Limit[] = [];
    const add = (limit: string, value: unknown, inside: (at: number) => unknown, step: 1 | -1) => {
      if (typeof value === "number") found.push([limit, inside(value), inside(value + step)]);
    };
    if (type === "string") {
      add("maxLength", maxLength, (length) => text(name, format, length), 1);
      add("minLength", minLength, (length) => "x".repeat(length), -1);
    }
    if (type === "integer") {
      // A time in the past is refused for another reason.
      if (!["active_until", "expires"].includes(name)) add("minimum", minimum, (value) => value, -1);
      add("maximum", maximum, (value) => value, 1);
    }
    if (type === "array") {
      add("minItems", minItems, list, -1);
      add("maxItems", maxItems, list, 1);
    }
    for (const value of listIn(schema["enum"])) found.push(["enum", value, `${value}x`]);
    for (const each of listIn(anyOf)) if (isDescribed(each)) found.push(...limits(name, each));
    return found;
  };

  type Place = { readonly pointer?: string; readonly parameter?: string };
  const bodyMembers = (body: unknown): readonly (readonly [string, Described])[] => [
    ...membersOf(at(body, "properties")),
    ...listIn(at(body, "oneOf")).flatMap(bodyMembers),
  ];
  const cases = OPERATIONS.flatMap(({ method, path, operation }) => {
    const target = path.replaceAll(/\{\w+\}/g, "some-id");
    const fields = [
      ...parametersOf(operation).map(({ name, in: where, schema }) => ({
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
      ...bodyMembers(bodyOf(operation)).map(([name, schema]) => ({
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
  });

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
