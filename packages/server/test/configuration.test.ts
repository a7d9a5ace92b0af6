import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@postern/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { help } from "../src/cli/messages.ts";
import {
  type ConfigurationProblem,
  readCommandConfiguration,
  readConfiguration,
} from "../src/configuration/configuration.ts";
import { descriptions, secretNames } from "../src/configuration/variables.ts";
import { configurationWith } from "./support/configuration.ts";
import { environment } from "./support/environment.ts";

const valueOf = <T>(read: Result<T, readonly ConfigurationProblem[]>): T =>
  read.match(
    (value) => value,
    (problems) => expect.unreachable(JSON.stringify(problems)),
  );
const problemsOf = (variables: Record<string, string | undefined>) =>
  readConfiguration(variables).match(
    () => [],
    (problems) => problems,
  );
const problems = (changes: Record<string, string | undefined>) => problemsOf({ ...environment, ...changes });

describe("readConfiguration", () => {
  test("reads the variables and fills in defaults", () => {
    expect(configurationWith({ PORT: "" })).toEqual({
      host: "127.0.0.1",
      port: 8080,
      store: "memory",
      gatewaySecret: undefined,
      rateLimit: 1200,
      creationLimit: 60,
      limits: { aliases: 10_000, recipients: 200, unverifiedRecipients: 20, verificationMessages: 100 },
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
      issuer: "https://id.postern.test/pool",
      audience: "client",
      jwksUri: undefined,
      aliasDomains: ["alias.example.com"],
      reservedNames: ["postern"],
      publicUrl: "https://postern.test",
      linkSecrets: ["0123456789abcdef0123456789abcdef"],
      mailboxSecret: undefined,
      smtpUrl: "smtp://127.0.0.1:1",
      mailFrom: "postern@postern.test",
      mailPlane: undefined,
      corsOrigins: [],
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
      POSTERN_MAX_VERIFICATION_MESSAGES: "1000",
      POSTERN_MAILBOX_SECRET: `${"m".repeat(31)},`,
    });
    expect(read.limits).toEqual({
      aliases: 0,
      recipients: 1,
      unverifiedRecipients: 2,
      verificationMessages: 1000,
    });
    expect(read.mailboxSecret).toBe(`${"m".repeat(31)},`);
  });

  test("reports all missing variables, in the order of --help", () => {
    const required = descriptions.filter(({ unset }) => unset === "required").map(({ name }) => name);
    const read = problemsOf({});
    expect(required).toHaveLength(7);
    expect(read.map(({ variable }) => variable)).toEqual(required);
    expect(read.map(({ problem }) => problem)).toEqual(
      required.map((name) => (secretNames.has(name) ? `is required, or ${name}_FILE` : "is required")),
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
    ["POSTERN_ISSUER", "id.example.com"],
    ["POSTERN_ISSUER", "http://id.example.com"],
    ["POSTERN_ISSUER", "http://127.0.0.1.example.com"],
    ["POSTERN_ISSUER", "https://user:secret@id.example.com"],
    ["POSTERN_ISSUER", "https://id.example.com?a"],
    ["POSTERN_ISSUER", " https://id.example.com"],
    ["POSTERN_JWKS_URI", "http://192.168.0.1/keys"],
    ["POSTERN_JWKS_URI", "file:///keys"],
    ["POSTERN_ALIAS_DOMAINS", ","],
    ["POSTERN_ALIAS_DOMAINS", "localhost"],
    // Too long for the addresses on it.
    ["POSTERN_ALIAS_DOMAINS", `${"a.".repeat(94)}co`],
    ["POSTERN_PUBLIC_URL", "http://postern.example.com"],
    ["POSTERN_LINK_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_LINK_SECRET", "0123456789abcdef0123456789abcdef,short"],
    ["POSTERN_LINK_SECRET", ["a", "b", "c"].map((key) => key.repeat(32)).join()],
    ["POSTERN_LINK_SECRET", ","],
    ["POSTERN_MAILBOX_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_MAX_ALIASES", "-1"],
    ["POSTERN_MAX_RECIPIENTS", "many"],
    ["POSTERN_MAX_UNVERIFIED_RECIPIENTS", "1.5"],
    ["POSTERN_MAX_VERIFICATION_MESSAGES", "1001"],
    ["POSTERN_GATEWAY_SECRET", "secret-secret-secret-secret-31b"],
    ["POSTERN_SMTP_URL", "mail.example.com"],
    ["POSTERN_SMTP_URL", "https://mail.example.com"],
    ["POSTERN_SMTP_URL", "smtp:///mail.example.com"],
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
    ["POSTERN_DELIVERY_NOTICES", "1"],
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
    ["POSTERN_TRUSTED_PROXIES", "proxy.example.com"],
    ["POSTERN_TRUSTED_PROXIES", "10.0.0.0/8,10.0.0.0/99"],
    ["POSTERN_AUTHORIZER", "none"],
  ])("rejects %s=%s", (name, value) => {
    expect(problems({ [name]: value })).toMatchObject([{ variable: name }]);
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

  test("serves metrics on another port than the API, or on another address", () => {
    const same = { PORT: "9464", POSTERN_METRICS_PORT: "9464" };
    const refused = { variable: "POSTERN_METRICS_PORT", problem: "is the same as PORT: set another one" };
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

  test("reads limits and proxies", () => {
    const variables = { POSTERN_RATE_LIMIT: "0", POSTERN_TRUSTED_PROXIES: "127.0.0.1, ::1,10.0.0.0/8" };
    expect(configurationWith(variables)).toMatchObject({
      rateLimit: 0,
      trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"],
    });
  });

  test("needs a URL for the postgres store, whatever else is wrong, and repeats nothing of one", () => {
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

test("the examples are valid, except that those of what only an operator can know are refused", () => {
  const examples = Object.fromEntries(
    descriptions.filter(({ name }) => !name.endsWith("_FILE")).map(({ name, example }) => [name, example]),
  );
  const refused = problemsOf(examples);
  expect(refused.map(({ variable }) => variable)).toEqual([
    "POSTERN_POSTGRES_URL",
    "POSTERN_ISSUER",
    "POSTERN_AUDIENCE",
    "POSTERN_JWKS_URI",
    "POSTERN_GATEWAY_SECRET",
    "POSTERN_ALIAS_DOMAINS",
    "POSTERN_PUBLIC_URL",
    "POSTERN_LINK_SECRET",
    "POSTERN_MAILBOX_SECRET",
    "POSTERN_SMTP_URL",
    "POSTERN_MAIL_FROM",
    "POSTERN_MX_NAME",
    "POSTERN_RELAY_URL",
    "POSTERN_POSTMASTER",
    "POSTERN_REDIS_URL",
  ]);
  expect(new Set(refused.map(({ problem }) => problem))).toEqual(
    new Set(["is the example of the documentation: set your own"]),
  );
});

describe("the mail plane", () => {
  const mail = {
    POSTERN_MX_PORT: "2525",
    POSTERN_MX_NAME: "MX.postern.test",
    POSTERN_POSTMASTER: "operator@postern.test",
    POSTERN_DKIM_KEY: "/etc/postern/dkim.pem",
    POSTERN_DKIM_SELECTOR: "postern1",
  };

  test("is off without a port, whatever else is set", () => {
    expect(configurationWith({ ...mail, POSTERN_MX_PORT: "" }).mailPlane).toBeUndefined();
  });

  test("is on with a port and what it needs, and sends through the server for verification mail", () => {
    expect(configurationWith(mail).mailPlane).toEqual({
      port: 2525,
      host: "127.0.0.1",
      name: "mx.postern.test",
      tls: undefined,
      spoolPath: ".postern/spool",
      spoolLimit: 1_073_741_824,
      relayUrl: environment.POSTERN_SMTP_URL,
      postmaster: "operator@postern.test",
      dkimKey: "/etc/postern/dkim.pem",
      dkimSelector: "postern1",
      maxSize: 26_214_400,
      inactive: "reject",
      dmarc: "reject",
      dsn: "verified",
      arc: true,
      deliveryNotices: false,
      dns: undefined,
    });
  });

  test("is as it is set", () => {
    const variables = {
      ...mail,
      POSTERN_MX_HOST: "::",
      POSTERN_MX_TLS_KEY: "/etc/key.pem",
      POSTERN_MX_TLS_CERT: "/etc/cert.pem",
      POSTERN_SPOOL_PATH: "/var/spool/postern",
      POSTERN_SPOOL_LIMIT: "5368709120",
      POSTERN_RELAY_URL: "smtp://127.0.0.1:2",
      POSTERN_DKIM_SELECTOR: "2026.postern",
      POSTERN_MAIL_SIZE: "1",
      POSTERN_MAIL_INACTIVE: "discard",
      POSTERN_MAIL_DMARC: "ignore",
      POSTERN_MAIL_DSN: "never",
      POSTERN_MAIL_ARC: "false",
      POSTERN_DELIVERY_NOTICES: "true",
      POSTERN_DNS: "[::1]:53",
    };
    expect(configurationWith(variables).mailPlane).toMatchObject({
      host: "::",
      tls: { key: "/etc/key.pem", cert: "/etc/cert.pem" },
      spoolPath: "/var/spool/postern",
      spoolLimit: 5_368_709_120,
      relayUrl: "smtp://127.0.0.1:2",
      dkimSelector: "2026.postern",
      maxSize: 1,
      inactive: "discard",
      dmarc: "ignore",
      dsn: "never",
      arc: false,
      deliveryNotices: true,
      dns: "[::1]:53",
    });
  });

  test("needs everything that it needs at once, also if something else is wrong", () => {
    const needed = ["POSTERN_MX_NAME", "POSTERN_POSTMASTER", "POSTERN_DKIM_KEY", "POSTERN_DKIM_SELECTOR"];
    const missing = needed.map((variable) => ({ variable, problem: "is required with POSTERN_MX_PORT" }));
    expect(problems({ POSTERN_MX_PORT: "25" })).toMatchObject(missing);
    expect(problems({ POSTERN_MX_PORT: "25", POSTERN_AUDIENCE: undefined })).toMatchObject([
      { variable: "POSTERN_AUDIENCE", problem: "is required" },
      ...missing,
    ]);
    expect(problems({ POSTERN_MX_PORT: "smtp" })).toMatchObject([
      { variable: "POSTERN_MX_PORT", problem: "must be a number from 0 to 65535" },
      ...missing,
    ]);
    expect(problems({ ...mail, POSTERN_MX_NAME: "localhost" })).toMatchObject([
      { variable: "POSTERN_MX_NAME", problem: expect.stringMatching(/^must be a domain name[^;]*$/) },
    ]);
  });

  test("needs both files for encryption, or none", () => {
    expect(problems({ ...mail, POSTERN_MX_TLS_KEY: "/key.pem" })).toMatchObject([
      { variable: "POSTERN_MX_TLS_CERT", problem: "is required with POSTERN_MX_TLS_KEY" },
    ]);
    expect(problems({ ...mail, POSTERN_MX_TLS_CERT: "/cert.pem" })).toMatchObject([
      { variable: "POSTERN_MX_TLS_KEY", problem: "is required with POSTERN_MX_TLS_CERT" },
    ]);
  });

  test("needs absolute paths of them, and repeats nothing of what could be a key", () => {
    const found = problems({ ...mail, POSTERN_MX_TLS_KEY: "key.pem", POSTERN_MX_TLS_CERT: "cert.pem" });
    expect(found.map(({ variable, problem }) => `${variable} ${problem}`)).toEqual([
      "POSTERN_MX_TLS_KEY must be an absolute path",
      "POSTERN_MX_TLS_CERT must be an absolute path",
    ]);
  });

  test("forwards nothing to itself, and has room for the largest message", () => {
    expect(problems({ ...mail, POSTERN_POSTMASTER: "operator@Alias.example.com" })).toMatchObject([
      { variable: "POSTERN_POSTMASTER", problem: expect.stringContaining("must not be on an alias domain") },
    ]);
    expect(problems({ ...mail, POSTERN_MAIL_SIZE: "100", POSTERN_SPOOL_LIMIT: "99" })).toMatchObject([
      { variable: "POSTERN_SPOOL_LIMIT", problem: "must be at least POSTERN_MAIL_SIZE" },
    ]);
    // Each is judged only if the other is valid.
    expect(problems({ ...mail, POSTERN_MAIL_SIZE: "x", POSTERN_SPOOL_LIMIT: "99" })).toMatchObject([
      { variable: "POSTERN_MAIL_SIZE" },
    ]);
    expect(problems({ ...mail, POSTERN_ALIAS_DOMAINS: undefined })).toMatchObject([
      { variable: "POSTERN_ALIAS_DOMAINS", problem: "is required" },
    ]);
  });

  test("listens on a port of its own", () => {
    const refused = (other: string) => [
      { variable: "POSTERN_MX_PORT", problem: `is the same as ${other}: set another one` },
    ];
    expect(problems({ ...mail, PORT: "2525" })).toMatchObject(refused("PORT"));
    expect(problems({ ...mail, POSTERN_METRICS_PORT: "2525" })).toMatchObject(
      refused("POSTERN_METRICS_PORT"),
    );
    expect(configurationWith({ ...mail, PORT: "2525", POSTERN_MX_HOST: "10.0.0.5" }).mailPlane?.port).toBe(
      2525,
    );
    expect(configurationWith({ ...mail, PORT: "0", POSTERN_MX_PORT: "0" }).mailPlane?.port).toBe(0);
  });
});

describe("placeholders", () => {
  const example = "is the example of the documentation: set your own";
  const host = "names a host that is reserved for examples: set your own";
  test.each([
    ["POSTERN_ISSUER", "https://cognito-idp.REGION.amazonaws.com/POOL_ID", example],
    ["POSTERN_ISSUER", "https://cognito-idp.eu-central-1.amazonaws.com/POOL_ID", example],
    ["POSTERN_ISSUER", "https://id.Example.COM/pool", host],
    ["POSTERN_JWKS_URI", "https://keys.invalid", host],
    ["POSTERN_PUBLIC_URL", "https://postern.example", host],
    ["POSTERN_SMTP_URL", "smtp://mail.example.net:587", host],
    ["POSTERN_REDIS_URL", "redis://example.org", host],
    ["POSTERN_LINK_SECRET", `${"n".repeat(32)},the output of: openssl rand -base64 48`, example],
    ["POSTERN_LINK_SECRET", "$(openssl rand -base64 48 | tr -d '=')", example],
  ])("%s=%s is refused", (variable, value, problem) => {
    expect(problems({ [variable]: value })).toMatchObject([{ variable, problem }]);
  });

  test.each([
    ["POSTERN_ISSUER", "https://example.com.postern.test"],
    ["POSTERN_ISSUER", "https://notexample.com"],
    ["POSTERN_PUBLIC_URL", "https://example.postern.test/example.com"],
    ["POSTERN_SMTP_URL", "smtp://me%40example.com:secret@mail.postern.test"],
    ["POSTERN_ALIAS_DOMAINS", "alias.example"],
    ["POSTERN_MAIL_FROM", "postern@alias.example"],
    ["HOST", "0.0.0.0"],
    ["PORT", "8080"],
  ])("%s=%s is accepted", (variable, value) => expect(problems({ [variable]: value })).toEqual([]));
});

describe("names", () => {
  test.each([
    ["POSTERN_ALIAS_DOMAIN", "POSTERN_ALIAS_DOMAINS"],
    ["POSTERN_LINK_SECRETS", "POSTERN_LINK_SECRET"],
    ["POSTERN_LINK_SECRETFILE", "POSTERN_LINK_SECRET_FILE"],
    ["POSTERN_SOTRE", "POSTERN_STORE"],
    ["POSTERN_SQLITE_FILE", "POSTERN_SQLITE_PATH"],
    ["POSTERN_PORT", "PORT"],
    ["POSTERN_AWS_REGION", "AWS_REGION"],
    ["POSTERN_store", undefined],
    ["POSTERN_", undefined],
    ["POSTERN_KILL_ROUNDS", undefined],
    ["POSTERN_PORT_FILE", undefined],
  ])("%s is not a variable; %s is", (variable, meant) => {
    const suggestion = meant === undefined ? "--help lists all" : `did you mean ${meant}?`;
    expect(problems({ [variable]: "a-value" })).toEqual([
      { variable, problem: `is not a variable; ${suggestion}` },
    ]);
  });

  test("that Kubernetes sets for a service named postern are ignored, and misspelt ones that look similar are not", () => {
    const links = {
      POSTERN_SERVICE_HOST: "10.0.0.1",
      POSTERN_SERVICE_PORT: "80",
      POSTERN_SERVICE_PORT_HTTP: "80",
      POSTERN_PORT: "tcp://10.0.0.1:80",
      POSTERN_PORT_80_TCP: "tcp://10.0.0.1:80",
      POSTERN_PORT_80_TCP_PROTO: "tcp",
      POSTERN_PORT_80_TCP_PORT: "80",
      POSTERN_PORT_80_TCP_ADDR: "10.0.0.1",
      POSTERN_API_SERVICE_HOST: "10.0.0.2",
    };
    expect(problems(links)).toEqual([]);
    expect(problems({ POSTERN_METRIC_PORT: "9464" })).toEqual([
      { variable: "POSTERN_METRIC_PORT", problem: "is not a variable; did you mean POSTERN_METRICS_PORT?" },
    ]);
  });

  test("of other programs are ignored, and so are empty variables", () => {
    expect(problems({ PSOTERN_STORE: "sqlite", HOSTS: "x", POSTERN_SOTRE: "" })).toEqual([]);
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

describe("secrets in files", () => {
  const SECRET = "s".repeat(32);
  const fileWith = (content: string | Uint8Array, mode = 0o600): string => {
    const directory = mkdtempSync(join(tmpdir(), "configuration-test-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "secret");
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  /** Without the variable that `environment` sets. */
  const fromFile = (path: string) => ({ POSTERN_LINK_SECRET: undefined, POSTERN_LINK_SECRET_FILE: path });

  test.each(["", "\n", "\r\n"])("are read without the last line break (%j)", (end) => {
    // Not the link secret, of which spaces and line breaks are removed anyway.
    const file = { POSTERN_MAILBOX_SECRET_FILE: fileWith(` ${SECRET}\n${end}`, 0o640) };
    const configuration = valueOf(readConfiguration({ ...environment, ...file }));
    expect(configuration.mailboxSecret).toBe(end === "" ? ` ${SECRET}` : ` ${SECRET}\n`);
    expect(configuration.warnings).toEqual([]);
  });

  test("are read for every secret", () => {
    const values = {
      POSTERN_POSTGRES_URL: "postgres://user:password@127.0.0.1/postern",
      POSTERN_GATEWAY_SECRET: "g".repeat(32),
      POSTERN_LINK_SECRET: SECRET,
      POSTERN_MAILBOX_SECRET: "m".repeat(32),
      POSTERN_SMTP_URL: "smtp://user:password@127.0.0.1",
      POSTERN_RELAY_URL: "smtp://user:password@127.0.0.2",
      POSTERN_REDIS_URL: "redis://user:password@127.0.0.1",
    };
    const files = Object.entries(values).flatMap(([name, value]) => [
      [name, undefined],
      [`${name}_FILE`, fileWith(value)],
    ]);
    const described = descriptions.map(({ name }) => name).filter((name) => name.endsWith("_FILE"));
    expect(described).toEqual(Object.keys(values).map((name) => `${name}_FILE`));
    const read = { ...environment, POSTERN_AUTHORIZER: "gateway", ...Object.fromEntries(files) };
    expect(valueOf(readConfiguration(read))).toEqual(
      valueOf(readConfiguration({ ...environment, POSTERN_AUTHORIZER: "gateway", ...values })),
    );
  });

  test("that every user of the machine may read cause a warning", () => {
    const path = fileWith(SECRET, 0o644);
    expect(valueOf(readConfiguration({ ...environment, ...fromFile(path) })).warnings).toEqual([
      `POSTERN_LINK_SECRET_FILE: ${path} can be read by every user of this machine (mode 0644): use mode 0600 or 0400`,
    ]);
  });

  test.each([
    ["", "which is empty"],
    ["\n", "which is empty"],
    ["too-short-a-secret", "whose content must be at least 32 bytes long"],
    [
      "the output of: openssl rand -base64 48\n",
      "whose content is the example of the documentation: set your own",
    ],
    [new Uint8Array(32).fill(0xff), "which is not UTF-8 text"],
    [SECRET.repeat(2049), "which is larger than 64 KiB"],
  ])("are refused if the content is wrong, without repeating it: %#", (content, why) => {
    const found = problems(fromFile(fileWith(content)));
    expect(found).toMatchObject([{ variable: "POSTERN_LINK_SECRET_FILE" }]);
    expect(found[0]?.problem).toContain(why);
    if (typeof content === "string" && content.trim() !== "") {
      expect(JSON.stringify(found)).not.toContain(content.trim());
    }
  });

  test("are refused if the file cannot be read, with its path and the reason", () => {
    expect(problems(fromFile("/nowhere/secret"))).toEqual([
      {
        variable: "POSTERN_LINK_SECRET_FILE",
        problem: "names /nowhere/secret, which cannot be read (ENOENT)",
        example: "/etc/postern/link-secret",
      },
    ]);
    for (const path of ["/tmp", "/dev/zero"]) {
      expect(problems(fromFile(path))).toMatchObject([
        { problem: `names ${path}, which is not a regular file` },
      ]);
    }
  });

  test("must have an absolute path; what else is set could be the secret, and is not repeated", () => {
    expect(problems(fromFile(SECRET))).toMatchObject([
      { variable: "POSTERN_LINK_SECRET_FILE", problem: "must be an absolute path" },
    ]);
  });

  test("cannot be set directly as well", () => {
    expect(problems({ POSTERN_LINK_SECRET_FILE: fileWith(SECRET) })).toMatchObject([
      { variable: "POSTERN_LINK_SECRET_FILE", problem: "and POSTERN_LINK_SECRET cannot both be set" },
    ]);
  });

  test("are not read by commands, which need none", () => {
    expect(valueOf(readCommandConfiguration(fromFile("/nowhere/secret")))).toMatchObject({ store: "sqlite" });
  });
});

test("--help describes every variable", () => {
  for (const { name, meaning, example } of descriptions) {
    expect(help()).toContain(name);
    expect(meaning).not.toBe("");
    expect(example).not.toBe("");
  }
});
