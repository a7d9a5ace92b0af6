import { describe, expect, test } from "vitest";
import { descriptions } from "../src/configuration/variables.ts";
import { problems, problemsOf } from "./support/configuration.ts";

test("the examples are valid, except that those for values that only an operator can know are refused", () => {
  const isFile = (name: string) => name.endsWith("_FILE") || name === "POSTERN_SERVICE_LOGO";
  const examples = Object.fromEntries(
    descriptions.filter(({ name }) => !isFile(name)).map(({ name, example }) => [name, example]),
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
    "POSTERN_SERVICE_URL",
    "POSTERN_LINK_SECRET",
    "POSTERN_MAILBOX_SECRET",
    "POSTERN_SMTP_URL",
    "POSTERN_MAIL_FROM",
    "POSTERN_MX_NAME",
    "POSTERN_RELAY_URL",
    "POSTERN_POSTMASTER",
    "POSTERN_KEYS_URL",
    "POSTERN_WEB_URL",
    "POSTERN_WEB_CLIENT",
    "POSTERN_WEB_TOKEN_ORIGIN",
    "POSTERN_REDIS_URL",
  ]);
  expect(new Set(refused.map(({ problem }) => problem))).toEqual(
    new Set(["is the example value from the documentation: set your own"]),
  );
});

describe("placeholders", () => {
  const example = "is the example value from the documentation: set your own";
  const host = "names a host that is reserved for examples: set your own";
  test.each([
    ["POSTERN_ISSUER", "https://cognito-idp.REGION.amazonaws.com/POOL_ID", example],
    ["POSTERN_ISSUER", "https://cognito-idp.eu-central-1.amazonaws.com/POOL_ID", example],
    ["POSTERN_ISSUER", "https://id.Example.COM/pool", host],
    ["POSTERN_AUDIENCE", "mine, 1example23456789", example],
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
