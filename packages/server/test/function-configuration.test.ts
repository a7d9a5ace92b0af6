import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleOf } from "../src/configuration/variables.ts";
import { readFunctionConfiguration } from "../src/lambda/function-configuration.ts";
import { valueRead } from "./support/configuration.ts";
import { environment } from "./support/environment.ts";

const { PORT: _, ...required } = environment;

const variables: Readonly<Record<string, string>> = {
  ...required,
  POSTERN_STORE: "dynamodb",
  POSTERN_SMTP_URL: "ses://eu-west-1?configuration-set=postern",
  POSTERN_REDIS_URL: "redis://127.0.0.1:1",
};

const problemsWith = (changes: Readonly<Record<string, string>>) =>
  readFunctionConfiguration({ ...variables, ...changes }).match(
    () => [],
    (problems) => problems.map(({ variable, problem }) => `${variable} ${problem}`),
  );

/** What the environment file of a server has besides. */
const OF_A_SERVER = {
  HOST: "0.0.0.0",
  PORT: "8080",
  POSTERN_SQLITE_PATH: "/var/lib/postern/postern.db",
  POSTERN_POSTGRES_URL_FILE: "/nowhere",
  POSTERN_AUTHORIZER: "gateway",
  POSTERN_GATEWAY_SECRET: "short",
  POSTERN_MX_PORT: "25",
  POSTERN_SPOOL_PATH: "/var/lib/postern/spool",
  POSTERN_DKIM_KEY: "/etc/postern/dkim.pem",
  POSTERN_WEB_PORT: "8090",
  POSTERN_TRUSTED_PROXIES: "10.0.0.0/8",
  POSTERN_METRICS_PORT: "9464",
};

describe("the variables of functions", () => {
  test("are those of a server; what only a server uses changes nothing, and is listed", () => {
    const { unused: none, ...alone } = valueRead(readFunctionConfiguration(variables));
    expect(none).toEqual([]);
    expect(alone).toMatchObject({
      identity: { issuer: variables["POSTERN_ISSUER"], audience: [variables["POSTERN_AUDIENCE"]] },
      ses: { region: "eu-west-1", configurationSet: "postern" },
    });
    fc.assert(
      fc.property(fc.subarray(Object.entries(OF_A_SERVER)), (others) => {
        const set = { ...variables, ...Object.fromEntries(others) };
        const { unused, ...rest } = valueRead(readFunctionConfiguration(set));
        expect(unused).toEqual(others.map(([name]) => name));
        expect(rest).toEqual(alone);
      }),
    );
  });

  test("keep the address for programs with keys, and the port that belongs to it", () => {
    const keys = { POSTERN_KEYS_URL: "https://keys.postern.test", POSTERN_KEYS_PORT: "8081" };
    const read = valueRead(readFunctionConfiguration({ ...variables, ...keys }));
    expect([read.keys?.url, read.unused]).toEqual([keys.POSTERN_KEYS_URL, []]);
  });

  test.each(["sqlite", "postgres", "memory", ""])("a store in %j is refused", (store) => {
    expect(problemsWith({ POSTERN_STORE: store })).toEqual(["POSTERN_STORE must be dynamodb in a function"]);
  });

  test("mail through anything but SES is refused", () => {
    expect(problemsWith({ POSTERN_SMTP_URL: "smtps://user:password@mail.postern.test" })).toEqual([
      "POSTERN_SMTP_URL must be ses://REGION or ses://REGION?configuration-set=NAME: a function sends mail through SES only",
    ]);
  });

  test.each([[{}], [{ POSTERN_RATE_LIMIT: "0" }], [{ POSTERN_CREATION_LIMIT: "0" }]])(
    "limits that each instance would count alone are refused: %j",
    (limits) => {
      expect(problemsWith({ ...limits, POSTERN_REDIS_URL: "" })).toEqual([
        "POSTERN_REDIS_URL is required, because each instance of a function would count alone; or set POSTERN_RATE_LIMIT and POSTERN_CREATION_LIMIT to 0 if only the gateway limits requests",
      ]);
    },
  );

  test("without limits per minute, no Redis is needed", () => {
    const limits = { POSTERN_RATE_LIMIT: "0", POSTERN_CREATION_LIMIT: "0" };
    expect(problemsWith({ ...limits, POSTERN_REDIS_URL: "" })).toEqual([]);
  });

  test("what is wrong with a server's is wrong here too, and all that is wrong is said", () => {
    expect(problemsWith({ POSTERN_ISSUER: "", POSTERN_LINK_SECRET: exampleOf("linkSecrets") })).toEqual([
      expect.stringMatching(/^POSTERN_ISSUER is required/),
      expect.stringMatching(/^POSTERN_LINK_SECRET /),
    ]);
    expect(problemsWith({ POSTERN_STORE: "sqlite", POSTERN_REDIS_URL: "" })).toHaveLength(2);
    expect(problemsWith({ POSTERN_TYPO: "1" })).toEqual([
      expect.stringMatching(/^POSTERN_TYPO is not a variable/),
    ]);
  });
});
