import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { help } from "../src/cli/messages.ts";
import { descriptions } from "../src/configuration/variables.ts";
import { configurationWith, problems, problemsOf } from "./support/configuration.ts";
import { environment } from "./support/environment.ts";

describe("readConfiguration", () => {
  test("reads the variables and fills in defaults", () => {
    expect(configurationWith({ PORT: "" })).toEqual({
      host: "127.0.0.1",
      port: 8080,
      store: "memory",
      gatewaySecret: undefined,
      rateLimit: 1200,
      creationLimit: 60,
      limits: {
        aliases: 10_000,
        recipients: 200,
        unverifiedRecipients: 20,
        contacts: 10_000,
        blockedSenders: 1_000,
        verificationMessages: 100,
      },
      redisUrl: undefined,
      trustedProxies: [],
      sqlitePath: ".postern/postern.db",
      postgresUrl: undefined,
      postgresCaPath: undefined,
      postgresConnections: 10,
      postgresTimeoutMs: 2000,
      dynamodbTable: "postern",
      dynamodbEndpoint: undefined,
      awsRegion: undefined,
      identity: { issuer: "https://id.postern.test/pool", audience: ["client"] },
      jwksUri: undefined,
      requiredClaim: undefined,
      aliasDomains: ["alias.example.com"],
      reservedNames: ["postern"],
      publicUrl: "https://postern.test",
      service: { name: "Postern", url: undefined },
      logo: undefined,
      language: "en",
      linkSecrets: ["0123456789abcdef0123456789abcdef"],
      mailboxSecret: undefined,
      smtpUrl: "smtp://127.0.0.1:1",
      mailFrom: "postern@postern.test",
      mailPlane: undefined,
      web: undefined,
      webHost: "127.0.0.1",
      webPort: undefined,
      webhooks: true,
      keys: undefined,
      dns: undefined,
      corsOrigins: [],
      publicDocument: false,
      logLevel: "info",
      accessLog: false,
      metricsHost: "127.0.0.1",
      metricsPort: undefined,
      warnings: [],
    });
  });

  test("reads lists with and without spaces", () => {
    const read = configurationWith({
      POSTERN_ALIAS_DOMAINS: "A.example.com, b.example.com",
      POSTERN_RESERVED_NAMES: "billing, Team.Postern",
      POSTERN_LINK_SECRET: `${"n".repeat(32)},${"o".repeat(32)}`,
      POSTERN_CORS_ORIGINS: "https://app.example.com,http://localhost:3000",
    });
    expect(read.aliasDomains).toEqual(["a.example.com", "b.example.com"]);
    expect(read.reservedNames).toEqual(["billing", "Team.Postern", "postern"]);
    expect(read.linkSecrets).toEqual(["n".repeat(32), "o".repeat(32)]);
    expect(read.corsOrigins).toEqual(["https://app.example.com", "http://localhost:3000"]);
  });

  test("reads limits, 0 for none, and a mailbox secret that may contain commas", () => {
    const read = configurationWith({
      POSTERN_MAX_ALIASES: "0",
      POSTERN_MAX_RECIPIENTS: "1",
      POSTERN_MAX_UNVERIFIED_RECIPIENTS: "2",
      POSTERN_MAX_CONTACTS: "3",
      POSTERN_MAX_BLOCKED_SENDERS: "4",
      POSTERN_MAX_VERIFICATION_MESSAGES: "1000",
      POSTERN_MAILBOX_SECRET: `${"m".repeat(31)},`,
    });
    expect(read.limits).toEqual({
      aliases: 0,
      recipients: 1,
      unverifiedRecipients: 2,
      contacts: 3,
      blockedSenders: 4,
      verificationMessages: 1000,
    });
    expect(read.mailboxSecret).toBe(`${"m".repeat(31)},`);
  });

  test("reports all missing variables, in the order of --help", () => {
    const names = descriptions.map(({ name }) => name);
    const required = names.filter((_, n) => descriptions[n]?.unset === "required");
    const read = problemsOf({});
    expect(required).toHaveLength(7);
    expect(read.map(({ variable }) => variable)).toEqual(required);
    expect(read.map(({ problem }) => problem)).toEqual(
      required.map((name) =>
        names.includes(`${name}_FILE`) ? `is required, or ${name}_FILE` : "is required",
      ),
    );
    expect(read).toContainEqual(
      expect.objectContaining({
        variable: "POSTERN_LINK_SECRET",
        problem: "is required, or POSTERN_LINK_SECRET_FILE",
      }),
    );
  });

  test("treats an empty variable as unset", () => {
    expect(configurationWith({ PORT: "", POSTERN_JWKS_URI: "" })).toMatchObject({
      port: 8080,
      jwksUri: undefined,
    });
    expect(problems({ POSTERN_AUDIENCE: "" })).toMatchObject([
      { variable: "POSTERN_AUDIENCE", problem: "is required" },
    ]);
  });

  test.each([
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", "http"],
    ["POSTERN_STORE", "redis"],
    ["POSTERN_DYNAMODB_TABLE", "not a name"],
    ["POSTERN_ISSUER", "id.example.com"],
    ["POSTERN_ISSUER", "http://id.example.com"],
    ["POSTERN_ISSUER", "http://127.0.0.1.example.com"],
    ["POSTERN_ISSUER", "https://user:secret@id.example.com"],
    ["POSTERN_ISSUER", "https://id.example.com?a"],
    ["POSTERN_ISSUER", " https://id.example.com"],
    ["POSTERN_AUDIENCE", "a,"],
    ["POSTERN_AUDIENCE", "a,,b"],
    ["POSTERN_AUDIENCE", " , "],
    ["POSTERN_AUDIENCE", "a,b, a"],
    ["POSTERN_AUDIENCE", "a,b,c,d,e,f,g,h,i,j,k"],
    ["POSTERN_JWKS_URI", "http://192.168.0.1/keys"],
    ["POSTERN_JWKS_URI", "file:///keys"],
    ["POSTERN_JWKS_URI", "https://user:secret@id.example.com/keys"],
    ["POSTERN_JWKS_URI", "https://id.example.com/keys#one"],
    ["POSTERN_ALIAS_DOMAINS", ","],
    ["POSTERN_ALIAS_DOMAINS", "localhost"],
    // Too long for the addresses on it.
    ["POSTERN_ALIAS_DOMAINS", `${"a.".repeat(94)}co`],
    ["POSTERN_PUBLIC_URL", "http://postern.example.com"],
    ["POSTERN_SERVICE_NAME", "Post\nhorn"],
    ["POSTERN_SERVICE_NAME", " "],
    ["POSTERN_SERVICE_NAME", "x".repeat(65)],
    ["POSTERN_SERVICE_URL", "posthorn.test"],
    ["POSTERN_SERVICE_URL", "javascript:alert(1)"],
    ["POSTERN_SERVICE_LOGO", "logo.png"],
    ["POSTERN_LANGUAGE", "fr"],
    ["POSTERN_LANGUAGE", "DE"],
    ["POSTERN_LINK_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_LINK_SECRET", "0123456789abcdef0123456789abcdef,short"],
    ["POSTERN_LINK_SECRET", ["a", "b", "c"].map((key) => key.repeat(32)).join()],
    ["POSTERN_LINK_SECRET", ","],
    ["POSTERN_MAILBOX_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_MAX_ALIASES", "-1"],
    ["POSTERN_MAX_RECIPIENTS", "many"],
    ["POSTERN_MAX_UNVERIFIED_RECIPIENTS", "1.5"],
    ["POSTERN_MAX_VERIFICATION_MESSAGES", "1001"],
    ["POSTERN_REQUIRED_CLAIM", "roles"],
    ["POSTERN_REQUIRED_CLAIM", "roles="],
    ["POSTERN_REQUIRED_CLAIM", "=admins"],
    ["POSTERN_REQUIRED_CLAIM", "roles = admins"],
    ["POSTERN_REQUIRED_CLAIM", " roles=admins"],
    ["POSTERN_REQUIRED_CLAIM", "roles=admins "],
    ["POSTERN_GATEWAY_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_SMTP_URL", "mail.example.com"],
    ["POSTERN_SMTP_URL", "https://mail.example.com"],
    ["POSTERN_SMTP_URL", "smtp:///mail.example.com"],
    ["POSTERN_SMTP_URL", "smtp://127.0.0.1.10025"],
    ["POSTERN_SMTP_URL", "smtp://mail%00.example.com"],
    ["POSTERN_SMTP_URL", "smtp://user@mail.example.com"],
    ["POSTERN_SMTP_URL", "smtp://:password@mail.example.com"],
    ["POSTERN_SMTP_URL", "smtp://mail.example.com?maxConnections=0"],
    ["POSTERN_SMTP_URL", "smtp://mail.example.com?maxConnections=many"],
    ["POSTERN_SMTP_URL", "ses://"],
    ["POSTERN_SMTP_URL", "ses://mail.example.com"],
    ["POSTERN_SMTP_URL", "ses://eu-west-1/"],
    ["POSTERN_SMTP_URL", "ses://key:secret@eu-west-1"],
    ["POSTERN_SMTP_URL", "ses://eu-west-1?configuration-set="],
    ["POSTERN_SMTP_URL", "ses://eu-west-1?configuration-set=postern&maxConnections=5"],
    ["POSTERN_RELAY_URL", "ses://eu-west-1"],
    ["POSTERN_MAIL_FROM", "Postern <postern@example.com>"],
    ["POSTERN_MX_NAME", "localhost"],
    ["POSTERN_SPOOL_LIMIT", "1GiB"],
    ["POSTERN_SPOOL_LIMIT", "0"],
    ["POSTERN_RELAY_URL", "https://relay.example.com"],
    ["POSTERN_POSTMASTER", "operator"],
    ["POSTERN_DKIM_KEY", "dkim.pem"],
    ["POSTERN_DKIM_SELECTOR", "postern_1"],
    ["POSTERN_DKIM_SELECTOR", "postern..1"],
    ["POSTERN_MAIL_SIZE", "-1"],
    ["POSTERN_MAIL_INACTIVE", "bounce"],
    ["POSTERN_MAIL_DMARC", "accept"],
    ["POSTERN_MAIL_DSN", "always"],
    ["POSTERN_MAIL_ARC", "yes"],
    ["POSTERN_MAIL_SUBJECTS", "yes"],
    ["POSTERN_DELIVERY_NOTICES", "1"],
    ["POSTERN_WEBHOOKS", "no"],
    ["POSTERN_PUBLIC_DOCUMENT", "1"],
    ["POSTERN_DNS", "dns.example.com:53"],
    ["POSTERN_CORS_ORIGINS", "https://app.example.com/"],
    ["POSTERN_CORS_ORIGINS", "*"],
    ["POSTERN_LOG_LEVEL", "verbose"],
    ["POSTERN_ACCESS_LOG", "yes"],
    ["POSTERN_METRICS_PORT", "99999"],
  ])("rejects %s=%s without repeating the value", (variable, value) => {
    const [problem, ...others] = problems({ [variable]: value });
    expect(others).toEqual([]);
    expect(problem?.variable).toBe(variable);
    expect(problem?.problem).toMatch(/^must /);
    if (value.length > 1) expect(problem?.problem).not.toContain(value);
  });

  test.each(["http://127.0.0.1:9229/pool", "http://localhost:9229/pool", "http://[::1]:9229/pool"])(
    "accepts the issuer %s, which is on loopback",
    (issuer) => expect(problems({ POSTERN_ISSUER: issuer })).toEqual([]),
  );

  test.each([
    ["POSTERN_RATE_LIMIT", "-1"],
    ["POSTERN_RATE_LIMIT", "many"],
    ["POSTERN_REDIS_URL", "http://127.0.0.1"],
    ["POSTERN_SES_QUEUE", "https://sqs.eu-west-1.amazonaws.com/"],
    ["POSTERN_SES_QUEUE", "https://sqs.eu-west-1.amazonaws.com/123456789012/outcomes?x=1"],
    ["POSTERN_SES_QUEUE", "http://sqs.eu-west-1.amazonaws.com/123456789012/outcomes"],
    ["POSTERN_SES_QUEUE", "arn:aws:sqs:eu-west-1:123456789012:outcomes"],
    ["POSTERN_TRUSTED_PROXIES", "proxy.example.com"],
    ["POSTERN_TRUSTED_PROXIES", "10.0.0.0/8,10.0.0.0/99"],
    ["POSTERN_AUTHORIZER", "nobody"],
  ])("rejects %s=%s", (name, value) => {
    expect(problems({ [name]: value })).toMatchObject([{ variable: name }]);
  });

  test("requires no issuer and audience if nobody can use the API, and ignores them", () => {
    const none = { POSTERN_AUTHORIZER: "none" };
    expect(problems({ ...none, POSTERN_ISSUER: undefined, POSTERN_AUDIENCE: "" })).toEqual([]);
    expect(configurationWith(none).identity).toBe(null);
  });

  test("requires the gateway's secret, and nothing less, to leave tokens to a gateway", () => {
    const POSTERN_GATEWAY_SECRET = "g".repeat(32);
    const missing = {
      variable: "POSTERN_GATEWAY_SECRET",
      problem: "is required, or POSTERN_GATEWAY_SECRET_FILE",
    };
    expect(problems({ POSTERN_AUTHORIZER: "gateway" })).toMatchObject([missing]);
    expect(problems({ POSTERN_AUTHORIZER: "gateway", POSTERN_GATEWAY_SECRET: "" })).toMatchObject([missing]);
    expect(problems({ POSTERN_AUTHORIZER: "gateway", POSTERN_AUDIENCE: undefined })).toMatchObject([
      { variable: "POSTERN_AUDIENCE", problem: "is required" },
      missing,
    ]);
    expect(problems({ POSTERN_AUTHORIZER: "gateway", POSTERN_GATEWAY_SECRET: "short" })).toMatchObject([
      { problem: expect.stringMatching(/^must be at least 32 [^;]*$/) },
    ]);
    const gateway = { POSTERN_AUTHORIZER: "gateway", POSTERN_GATEWAY_SECRET };
    expect(configurationWith(gateway).gatewaySecret).toBe(POSTERN_GATEWAY_SECRET);
    // Otherwise tokens are verified, whatever the secret.
    expect(configurationWith({ POSTERN_GATEWAY_SECRET }).gatewaySecret).toBeUndefined();
  });

  test("serves metrics on a different port than the API, or on a different address", () => {
    const same = { PORT: "9464", POSTERN_METRICS_PORT: "9464" };
    const refused = { variable: "POSTERN_METRICS_PORT", problem: "is the same as PORT: set a different one" };
    expect(problems(same)).toMatchObject([refused]);
    expect(problems({ ...same, HOST: "0.0.0.0" })).toMatchObject([refused]);
    expect(problems({ ...same, POSTERN_AUDIENCE: undefined })).toMatchObject([
      { variable: "POSTERN_AUDIENCE", problem: "is required" },
      refused,
    ]);
    expect(problems({ ...same, PORT: "x" })).toMatchObject([{ variable: "PORT" }]);
    expect(configurationWith({ ...same, HOST: "10.0.0.5" }).metricsPort).toBe(9464);
    expect(configurationWith({ ...same, PORT: "0", POSTERN_METRICS_PORT: "0" }).metricsPort).toBe(0);
  });

  test("the browser app: nowhere, on loopback, or where a proxy makes it available", () => {
    expect(configurationWith()).toMatchObject({ web: undefined, webPort: undefined, corsOrigins: [] });
    const here = configurationWith({ POSTERN_WEB_PORT: "8090", POSTERN_AUDIENCE: "one,two" });
    expect(here).toMatchObject({ webHost: "127.0.0.1", webPort: 8090 });
    expect(here.web).toEqual({
      origin: "http://127.0.0.1:8090",
      settings: {
        api: "https://postern.test/v1",
        issuer: environment.POSTERN_ISSUER,
        client: "one",
        sign_in: ["oidc"],
      },
      calls: ["https://postern.test", "https://id.postern.test"],
    });
    expect(here.corsOrigins).toEqual(["http://127.0.0.1:8090"]);
    const elsewhere = configurationWith({
      POSTERN_WEB_URL: "https://mail.postern.test",
      POSTERN_CORS_ORIGINS: "https://other.postern.test",
      POSTERN_PUBLIC_URL: "https://mail.postern.test:8443/postern/",
      POSTERN_ISSUER: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf",
      POSTERN_WEB_TOKEN_ORIGIN: "https://mine.auth.eu-central-1.amazoncognito.com",
    });
    expect(elsewhere.web).toMatchObject({
      origin: "https://mail.postern.test",
      settings: { api: "https://mail.postern.test:8443/postern/v1", sign_in: ["srp"] },
      calls: [
        "https://mail.postern.test:8443",
        "https://cognito-idp.eu-central-1.amazonaws.com",
        "https://mine.auth.eu-central-1.amazoncognito.com",
      ],
    });
    expect(elsewhere.corsOrigins).toEqual(["https://other.postern.test", "https://mail.postern.test"]);
  });

  test.each([
    ["127.0.0.1", "80", "http://127.0.0.1"],
    ["localhost", "8090", "http://localhost:8090"],
    ["::1", "8090", "http://[::1]:8090"],
  ])("the browser app on %s and port %s is at %s", (POSTERN_WEB_HOST, POSTERN_WEB_PORT, origin) =>
    expect(configurationWith({ POSTERN_WEB_HOST, POSTERN_WEB_PORT }).web?.origin).toBe(origin),
  );

  test("the browser app needs a known origin, a client whose tokens are accepted, and somebody who signs in", () => {
    const unknown = expect.stringMatching(/^is required with POSTERN_WEB_PORT, unless /);
    for (const changed of [{ POSTERN_WEB_HOST: "0.0.0.0" }, { POSTERN_WEB_PORT: "0" }]) {
      expect(problems({ POSTERN_WEB_PORT: "8090", ...changed })).toMatchObject([
        { variable: "POSTERN_WEB_URL", problem: unknown },
      ]);
    }
    for (const [variable, value] of [
      ["POSTERN_WEB_URL", "http://mail.postern.test"],
      ["POSTERN_WEB_URL", "https://mail.postern.test/"],
      ["POSTERN_WEB_URL", "https://mail.postern.test/app"],
      ["POSTERN_WEB_URL", "https://mail.postern.test; script-src *"],
      ["POSTERN_WEB_TOKEN_ORIGIN", "https://*.postern.test/oauth2/token"],
      ["POSTERN_WEB_CLIENT", "another"],
      ["POSTERN_WEB_SIGN_IN", "password"],
      ["POSTERN_WEB_SIGN_IN", "srp,srp"],
      ["POSTERN_WEB_SIGN_IN", ","],
    ] as const) {
      const problem = expect.stringMatching(/^must be /);
      expect(problems({ POSTERN_WEB_PORT: "8090", [variable]: value })).toMatchObject([
        { variable, problem },
      ]);
    }
    const nobody = { POSTERN_AUTHORIZER: "none", POSTERN_ISSUER: undefined, POSTERN_AUDIENCE: undefined };
    for (const [variable, value] of [
      ["POSTERN_WEB_PORT", "8090"],
      ["POSTERN_WEB_URL", "https://mail.postern.test"],
    ] as const) {
      const problem = expect.stringMatching(/^cannot be used while POSTERN_AUTHORIZER is none/);
      expect(problems({ ...nobody, [variable]: value })).toMatchObject([{ variable, problem }]);
    }
    for (const [variable, others] of [
      ["PORT", {}],
      ["POSTERN_KEYS_PORT", { POSTERN_KEYS_URL: "https://keys.postern.test" }],
      ["POSTERN_METRICS_PORT", {}],
    ] as const) {
      expect(problems({ ...others, [variable]: "8090", POSTERN_WEB_PORT: "8090" })).toMatchObject([
        { variable: "POSTERN_WEB_PORT", problem: `is the same as ${variable}: set a different one` },
      ]);
    }
  });

  test("serves programs with keys on a port of their own, at a URL of their own, or not at all", () => {
    const keys = { POSTERN_KEYS_PORT: "8081", POSTERN_KEYS_URL: "https://keys.postern.test" };
    expect(configurationWith(keys).keys).toEqual({ port: 8081, url: "https://keys.postern.test" });
    for (const [variable, value] of [
      ["POSTERN_KEYS_PORT", "99999"],
      ["POSTERN_KEYS_URL", "http://keys.example.com"],
      ["POSTERN_KEYS_URL", "https://keys.postern.test/?q=1"],
    ] as const) {
      const problem = expect.stringMatching(/^must /);
      expect(problems({ ...keys, [variable]: value })).toMatchObject([{ variable, problem }]);
    }
    for (const [variable, other] of [
      ["POSTERN_KEYS_PORT", "POSTERN_KEYS_URL"],
      ["POSTERN_KEYS_URL", "POSTERN_KEYS_PORT"],
    ] as const) {
      const problem = `is required with ${other}`;
      expect(problems({ ...keys, [variable]: undefined })).toMatchObject([{ variable, problem }]);
    }
    expect(problems({ ...keys, PORT: "8081" })).toMatchObject([
      { variable: "POSTERN_KEYS_PORT", problem: "is the same as PORT: set a different one" },
    ]);
    expect(problems({ ...keys, POSTERN_METRICS_PORT: "8081" })).toMatchObject([
      { variable: "POSTERN_METRICS_PORT", problem: "is the same as POSTERN_KEYS_PORT: set a different one" },
    ]);
  });

  test.each([
    ["groups=mail", "groups", "mail"],
    ["cognito:groups=mail users", "cognito:groups", "mail users"],
    ["https://example.com/roles=m", "https://example.com/roles", "m"],
    ["groups=cn=mail,ou=groups,dc=example", "groups", "cn=mail,ou=groups,dc=example"],
  ])("splits the required claim %s at the first =", (text, name, value) => {
    expect(configurationWith({ POSTERN_REQUIRED_CLAIM: text }).requiredClaim).toEqual({ name, value });
  });

  test("reads limits and proxies", () => {
    const variables = { POSTERN_RATE_LIMIT: "0", POSTERN_TRUSTED_PROXIES: "127.0.0.1, ::1,10.0.0.0/8" };
    expect(configurationWith(variables)).toMatchObject({
      rateLimit: 0,
      trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"],
    });
  });

  test("reads how the service is called, and its logo", () => {
    const logo = fileURLToPath(new URL("../../../docs/images/benchmarks.svg", import.meta.url));
    const variables = {
      POSTERN_SERVICE_NAME: "Müller & Söhne",
      POSTERN_SERVICE_URL: "https://müller.test/post?für=uns",
      POSTERN_SERVICE_LOGO: logo,
      POSTERN_LANGUAGE: "de",
    };
    expect(configurationWith(variables)).toMatchObject({
      service: { name: "Müller & Söhne", url: "https://müller.test/post?für=uns" },
      logo: readFileSync(logo),
      language: "de",
    });
    expect(problems({ POSTERN_SERVICE_LOGO: "/no/logo.svg" })).toMatchObject([
      { problem: "names /no/logo.svg, which cannot be read (ENOENT)" },
    ]);
    expect(problems({ POSTERN_SERVICE_LOGO: import.meta.filename })).toMatchObject([
      { problem: expect.stringMatching(/^names a file that must be a PNG, JPEG or SVG image/) },
    ]);
  });

  test("turns webhooks off, and reads the name server", () => {
    expect(configurationWith({ POSTERN_WEBHOOKS: "false", POSTERN_DNS: "[::1]:53" })).toMatchObject({
      webhooks: false,
      dns: "[::1]:53",
    });
  });

  test("needs a URL for the postgres store, whatever else is wrong, and repeats no part of it", () => {
    expect(problems({ POSTERN_STORE: "postgres", PORT: "-1" })).toMatchObject([
      { variable: "PORT" },
      { variable: "POSTERN_POSTGRES_URL", problem: "is required, or POSTERN_POSTGRES_URL_FILE" },
    ]);
    expect(problems({ POSTERN_POSTGRES_URL: "postgres://user:hunter2@db.postern.test" })).toMatchObject([
      { problem: "must name a database: postgres://USER:PASSWORD@HOST:5432/DATABASE" },
    ]);
    const variables = {
      POSTERN_STORE: "postgres",
      POSTERN_POSTGRES_URL: "postgres://user:hunter2@db.postern.test/mail",
      POSTERN_POSTGRES_CA_PATH: "/etc/ca.pem",
      POSTERN_POSTGRES_CONNECTIONS: "3",
      POSTERN_POSTGRES_TIMEOUT_MS: "500",
    };
    expect(configurationWith(variables)).toMatchObject({
      store: "postgres",
      postgresUrl: { host: "db.postern.test", port: 5432, database: "mail", sslMode: "verify-full" },
      postgresCaPath: "/etc/ca.pem",
      postgresConnections: 3,
      postgresTimeoutMs: 500,
    });
    const wrong = {
      POSTERN_POSTGRES_CA_PATH: "ca.pem",
      POSTERN_POSTGRES_CONNECTIONS: "0",
      POSTERN_POSTGRES_TIMEOUT_MS: "99",
    };
    expect(problems(wrong).map(({ variable }) => variable)).toEqual(Object.keys(wrong));
  });

  test("lists the available stores", () => {
    expect(problems({ POSTERN_STORE: "redis" })).toMatchObject([
      { problem: "must be one of: sqlite, postgres, dynamodb, memory" },
    ]);
  });
});

test.each(["0.0.0.0/0", "128.0.0.0/1", "::/0", "2000::/3", "::ffff:0:0/96", "::ffff:128.0.0.0/97", "::/8"])(
  "does not trust the proxies in %s, where clients are",
  (network) => {
    expect(problems({ POSTERN_TRUSTED_PROXIES: `127.0.0.1,${network}` })).toMatchObject([
      { problem: expect.stringMatching(/^must not contain a network wider than /) },
    ]);
  },
);

test.each([
  "10.0.0.0/8",
  "fc00::/7",
  "fe80::/10",
  "::ffff:10.0.0.0/104",
  "::1",
  "192.0.2.0/24,2001:db8::/32",
])("trusts the proxies in %s", (networks) =>
  expect(problems({ POSTERN_TRUSTED_PROXIES: networks })).toEqual([]),
);

test("--help describes every variable", () => {
  for (const { name, meaning, example } of descriptions) {
    expect(help()).toContain(name);
    expect(meaning).not.toBe("");
    expect(example).not.toBe("");
  }
});
