import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern, throwing } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { fastify } from "fastify";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ApiOptions, apiPlugin, checkIssuer, createApi, idTokenAuthorizer } from "../src/index.ts";
import { worldPorts } from "./support/world.ts";

/* What untyped callers can get wrong, and what the compiler cannot see. */

const ports = { store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports };
const authorize = async () => ok(valueOf(parseAccountId("alice")));
const good: ApiOptions = { postern: postern(ports), authorizer: { authorize } };

/** The good options, overridden with these, as untyped code passes them. */
const optionsWith = (options: object): ApiOptions => Object.assign({ ...good }, options);

const NUMBER = "must be a whole number, 0 or more; 0 means no limit";
const ORIGIN = "must be an origin such as https://app.example.com: no path, no slash at the end, no *";
const AUTHORIZER =
  "authorizer must be an object with the method authorize, such as idTokenAuthorizer({ issuer, audience })";
const SERVICE = "postern must be what postern() returns";
const NOT_AN_OPERATION = "postern.createAlias is not an operation: pass what postern() returns";
const LOGGER = "logger must be an object with the methods error, warn and info, such as console";

const INVALID: readonly (readonly [object, string])[] = [
  [{ rateLimit: { perMinute: Number.NaN } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { perMinute: -5 } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { perMinute: 1.5 } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { perMinute: Number.POSITIVE_INFINITY } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { perMinute: "5" } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: {} }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { max: 5 } }, `rateLimit.perMinute ${NUMBER}`],
  [{ rateLimit: { perMinute: 5, creationsPerMinute: -1 } }, `rateLimit.creationsPerMinute ${NUMBER}`],
  [{ rateLimit: 5 }, "rateLimit must be an object such as { perMinute: 1200 }"],
  [{ corsOrigins: ["https://x.example/"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: ["https://x.example", "*"] }, `corsOrigins.1 ${ORIGIN}`],
  [{ corsOrigins: ["https://x.example:443"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: ["https://X.example"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: ["x.example"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: ["ftp://x.example"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: [""] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: ["null"] }, `corsOrigins.0 ${ORIGIN}`],
  [{ corsOrigins: [/x/] }, `corsOrigins.0 ${ORIGIN}`],
  // A string would allow every origin that is a substring of it.
  [{ corsOrigins: "https://x.example" }, 'corsOrigins must be a list such as ["https://app.example.com"]'],
  [{ authorizer: authorize }, AUTHORIZER],
  [{ authorizer: undefined }, AUTHORIZER],
  [{ authorizer: { authorise: authorize } }, "authorizer.authorize must be a function"],
  [{ postern: undefined }, SERVICE],
  [{ postern }, SERVICE],
  [{ postern: ports }, NOT_AN_OPERATION],
  [{ postern: Promise.resolve(good.postern) }, NOT_AN_OPERATION],
  [{ postern: throwing(good.postern) }, NOT_AN_OPERATION],
  [{ publicDocument: "true" }, "publicDocument must be true or false"],
  [{ service: "Posthorn" }, "service must be an object"],
  [{ service: { name: "Post\nhorn" } }, "service.name must be text on one line, without control characters"],
  [
    { service: { name: "Posthorn", url: "javascript:alert(1)" } },
    "service.url must be a URL that begins with https:// or http://, without user, password or spaces",
  ],
  [{ logo: "logo.png" }, "logo must be a Uint8Array"],
  [{ language: "fr" }, "language must be one of: en, de"],
  [{ observer: {} }, "observer must be a function"],
  [{ logger: true }, LOGGER],
  [{ logger: { log: () => {} } }, "logger.error must be a function"],
];

describe.each(INVALID)("%o", (options, message) => {
  test("is refused by createApi", () => {
    expect(() => createApi(optionsWith(options))).toThrow(TypeError);
    expect(() => createApi(optionsWith(options))).toThrow(message);
  });

  test("is refused when the plugin is registered", async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const registered = async () => app.register(apiPlugin(optionsWith(options)), { prefix: "/mail" });
    await expect(registered()).rejects.toThrow(message);
  });
});

test("all invalid options are named at once", () => {
  const options = { authorizer: authorize, rateLimit: { perMinute: -1 } };
  expect(() => createApi(optionsWith(options))).toThrow(`${AUTHORIZER}; rateLimit.perMinute ${NUMBER}`);
});

test.each([
  { rateLimit: { perMinute: 0, creationsPerMinute: 0 } },
  { corsOrigins: [] },
  { corsOrigins: ["https://app.example", "http://localhost:5173", "http://[::1]:3000"] },
  { logger: console },
  { observer: undefined, logger: undefined, corsOrigins: undefined, rateLimit: undefined },
  {
    authorizer: new (class {
      authorize() {
        return authorize();
      }
    })(),
  },
])("%o is accepted", async (options) => {
  const api = createApi(optionsWith(options));
  expect((await api.inject("/health")).statusCode).toBe(200);
  await api.close();
});

test("undefined means the default for every optional option, to the compiler as well", async () => {
  const issuer = "https://issuer.example";
  const api = createApi({
    postern: good.postern,
    authorizer: idTokenAuthorizer({
      issuer,
      audience: "client",
      jwksUri: undefined,
      requiredClaim: undefined,
      onToken: undefined,
      onFetch: undefined,
    }),
    basePath: undefined,
    trustedProxies: undefined,
    corsOrigins: undefined,
    observer: undefined,
    logger: undefined,
    rateLimit: { perMinute: 1, creationsPerMinute: undefined, redisUrl: undefined, onUncounted: undefined },
  });
  const verify = async () => (await api.inject("/recipients/verify?token=x")).statusCode;
  expect([await verify(), await verify()]).toEqual([200, 429]);
  await api.close();

  const nothing = async () => new Response(null, { status: 404 });
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(nothing);
  onTestFinished(() => fetched.mockRestore());
  expect(await checkIssuer({ issuer, jwksUri: undefined })).toMatchObject({
    address: ok({ uri: `${issuer}/.well-known/jwks.json`, from: "default" }),
  });
});
