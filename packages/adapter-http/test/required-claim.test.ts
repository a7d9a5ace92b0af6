import { memoryStore } from "@postern/adapter-memory";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Authorizer,
  type CompletedResponse,
  gatewayAuthorizer,
  idTokenAuthorizer,
  type RequiredClaim,
} from "../src/index.ts";
import { ROUTES } from "../src/routes/routes.ts";
import { requestWith } from "./support/authorization-request.ts";
import { AUDIENCE } from "./support/issuer.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

/* Who may have an account: only those whose valid token has the required claim. */

const issuer = useIssuer();
const SECRET = "s3cret-of-the-gateway-0123456789";

/** Every authorizer that accepts ID tokens, and what else a request to it needs. */
const authorizers = (requiredClaim: RequiredClaim): readonly Authorizer[] => {
  const { name, jwksUri } = issuer();
  const expected = { issuer: name, audience: AUDIENCE, requiredClaim };
  return [
    idTokenAuthorizer({ ...expected, jwksUri }),
    gatewayAuthorizer({ ...expected, secret: SECRET }),
    gatewayAuthorizer({
      ...expected,
      claims: ({ authorization = "" }) =>
        JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString()),
    }),
  ];
};

const outcomeOf = async (authorizer: Authorizer, token: string) =>
  (await authorizer.authorize(requestWith(`Bearer ${token}`, [["x-postern-gateway-secret", SECRET]]))).match(
    (account) => account,
    ({ code }) => code,
  );

/** A store, and the operations of it that have been called. */
const watchedStore = () => {
  const called: string[] = [];
  const store = new Proxy(memoryStore(), {
    get: (ports, port, receiver) => {
      const operations: unknown = Reflect.get(ports, port, receiver);
      if (typeof operations !== "object" || operations === null) return operations;
      return new Proxy(operations, {
        get: (target, name, self) => {
          const operation: unknown = Reflect.get(target, name, self);
          if (typeof operation !== "function") return operation;
          return (...given: unknown[]): unknown => {
            called.push(`${String(port)}.${String(name)}`);
            return Reflect.apply(operation, target, given);
          };
        },
      });
    },
  });
  return { store, called };
};

const NAMES = ["groups", "Groups", "cognito:groups", "https://example.com/roles", "toString", "__proto__"];
const VALUES = ["mail", "Mail", "mail ", "mailing", "[mail]", "mail admin"];

const claim = fc.letrec<{ claim: unknown }>((tie) => ({
  claim: fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom<unknown>(...VALUES, null, true, 0),
    fc.array(tie("claim"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("mail", "0", "length", "groups"), tie("claim"), { maxKeys: 2 }),
  ),
})).claim;

test("whatever else they say, only tokens with the claim lead to an account", async () => {
  const claims = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), claim), {
    selector: ([name]) => name,
    maxLength: NAMES.length,
  });
  await fc.assert(
    fc.asyncProperty(
      claims,
      fc.constantFrom(...NAMES),
      fc.constantFrom(...VALUES),
      async (present, name, value) => {
        const given = present.find(([each]) => each === name)?.[1];
        const has = given === value || (Array.isArray(given) && given.some((each) => each === value));
        const token = await issuer().token(Object.fromEntries(present));
        for (const authorizer of authorizers({ name, value })) {
          // The second time, a token that was accepted is already known.
          for (let time = 0; time < 2; time += 1) {
            expect(await outcomeOf(authorizer, token)).toBe(has ? "alice" : "account_not_allowed");
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("a token that is not valid is unauthorized, with or without the claim", async () => {
  for (const groups of [["mail"], []]) {
    const token = await issuer().token({ groups, aud: "another" });
    for (const authorizer of authorizers({ name: "groups", value: "mail" })) {
      expect(await outcomeOf(authorizer, token)).toBe("unauthorized");
    }
  }
});

test.each([
  { name: "", value: "mail" },
  { name: "groups", value: "" },
])("a claim without name or value is a mistake: %j", (requiredClaim) => {
  expect(() => authorizers(requiredClaim)).toThrow(/^requiredClaim must have a name and a value, such as/);
});

test("a token without the claim gets 403 at every path but the open ones, before the body is read or the store asked", async () => {
  const { store, called } = watchedStore();
  const seen: CompletedResponse[] = [];
  const { api, call } = await openWorld(issuer(), {
    store,
    requiredClaim: { name: "groups", value: "mail" },
    corsOrigins: ["https://app.example"],
    observer: () => ({ within: (handle) => handle(), answered: (response) => void seen.push(response) }),
  });
  const own = ROUTES.filter(({ open }) => !open);
  expect(own.length).toBeGreaterThan(12);
  const requests = [
    ...own.map(({ method, path }) => ({ method, path })),
    ...own.filter(({ method }) => method === "GET").map(({ path }) => ({ method: "HEAD" as const, path })),
    { method: "GET" as const, path: "/nowhere" },
  ];
  for (const { method, path } of requests) {
    const url = path.replaceAll(/\{\w+\}/g, "x");
    const refused = await call(method, url, {
      headers: { origin: "https://app.example" },
      ...(method !== "GET" && method !== "HEAD" && { body: "{" }),
    });
    expect(refused, `${method} ${path}`).toMatchObject({
      status: 403,
      headers: {
        "content-type": "application/problem+json; charset=utf-8",
        "access-control-allow-origin": "https://app.example",
        "x-request-id": expect.any(String),
      },
      body:
        method === "HEAD"
          ? ""
          : {
              code: "account_not_allowed",
              instance: url,
              detail: expect.stringContaining("Ask the operator"),
            },
    });
  }
  expect(called).toEqual([]);
  expect(new Set(seen.map(({ account, refusal }) => `${account} ${refusal}`))).toEqual(
    new Set(["null not_allowed"]),
  );

  expect((await call("GET", "/health", { as: null })).status).toBe(200);
  const preflight = { origin: "https://app.example", "access-control-request-method": "GET" };
  expect((await call("OPTIONS", "/aliases", { as: null, headers: preflight })).status).toBe(204);
  const authorization = `Bearer ${await issuer().token({ groups: ["friends", "mail"] })}`;
  expect((await call("GET", "/aliases", { headers: { authorization } })).status).toBe(200);
  await api.close();
});
