import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { bodyOf, type Described, OPERATIONS, parametersOf } from "./support/described.ts";
import { fromSchema } from "./support/from-schema.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

/* A request that matches the document is understood: its form is never what is wrong with it. */

// More than other tests of this package: text that matches a pattern takes long to make.
vi.setConfig({ testTimeout: 300_000 });

const issuer = useIssuer();

const REQUESTS = runsWhole(import.meta.url) ? 500 : 30;

/** The members or parameters without what no schema can say: a cursor has to be one that there is, and an end to be in the future. */
const possible = (values: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]): [string, unknown][] => {
      if (name === "cursor") return [];
      const isEnd = ["active_until", "expires"].includes(name) && value !== null;
      return [[name, isEnd ? Date.UTC(2051) : value]];
    }),
  );

/** No URL can contain these as a part of its path, not even percent-encoded: they are removed before it is sent. */
const DOTS: readonly unknown[] = [".", ".."];

const encoded = (value: unknown): string => encodeURIComponent(String(value).toWellFormed());

/** Requests that match what the document says about an operation. */
const requests = (path: string, operation: Described) => {
  const parameters = parametersOf(operation);
  const valuesIn = (place: string) => {
    const here = parameters.filter((each) => each.in === place);
    return fc.record<Record<string, unknown>>(
      Object.fromEntries(here.map(({ name, schema }) => [name, fromSchema(schema, null, name)] as const)),
      { requiredKeys: here.filter(({ required }) => required).map(({ name }) => name) },
    );
  };
  const schema = bodyOf(operation);
  return (
    fc
      .record({
        ids: valuesIn("path").filter((ids) => !Object.values(ids).some((id) => DOTS.includes(id))),
        query: valuesIn("query").map(possible),
        headers: valuesIn("header"),
        body: schema === undefined ? fc.constant(undefined) : fromSchema(schema, null).map(possible),
      })
      // No schema can say that a recipient is not reassigned to itself.
      .filter(
        ({ ids, body }) =>
          body?.["recipient_id"] === undefined || body["recipient_id"] !== ids["recipient_id"],
      )
      .map(({ ids, query, headers, body }) => {
        // They cannot be combined.
        const { confirm, suppress, ...rest } = query;
        const pairs = Object.entries({ ...rest, ...(confirm === undefined ? { suppress } : { confirm }) });
        const given = pairs.filter(([, value]) => value !== undefined);
        const search = given.map(([name, value]) => `${name}=${encoded(value)}`).join("&");
        const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(ids[name]));
        return { url: search === "" ? url : `${url}?${search}`, headers, body };
      })
  );
};

test.each(OPERATIONS.map(({ method, path, operation }) => [method.toUpperCase(), path, operation] as const))(
  "%s %s understands every request that matches the document",
  async (method, path, operation) => {
    const world = await openWorld(issuer(), {
      webhookSending: { send: async () => ({ code: "delivered" }) },
    });
    const authorization = `Bearer ${await issuer().token({ sub: "alice" })}`;
    await fc.assert(
      fc.asyncProperty(requests(path, operation), async ({ url, headers, body }) => {
        const response = await world.api.inject({
          method: method as "GET",
          url,
          headers: {
            ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
            authorization,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(body !== undefined && { payload: JSON.stringify(body) }),
        });
        expect(response.statusCode, response.body).toBeLessThan(500);
        if (response.statusCode === 400) expect(response.json()).toMatchObject({ code: "link_invalid" });
        expect(response.statusCode).not.toBe(415);
      }),
      { numRuns: REQUESTS },
    );
    await world.api.close();
  },
);
