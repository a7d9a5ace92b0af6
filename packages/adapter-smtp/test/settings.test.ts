import { inspect } from "node:util";
import { expect, test } from "vitest";
import { smtpMail, smtpRelay } from "../src/index.ts";
import { settings } from "./support/mail-server.ts";

const failure = (overrides: Partial<Parameters<typeof smtpMail>[0]>): unknown => {
  try {
    smtpMail({ url: "smtp://127.0.0.1:25", ...settings, ...overrides }).close();
  } catch (error) {
    return error;
  }
  return undefined;
};

test.each([
  "",
  "hunter2",
  "smtp:",
  "smtp://",
  "smtp://user:hunter2@",
  "smtp://user:hunter2@ho st:25",
  "smtp://user:hunter2@a%00b:25",
  "smtp://user:hunter2@host:port",
  "https://user:hunter2@host",
  "direct://user:hunter2@host",
  "smtp:user:hunter2@host:25",
])("rejects the URL %j without repeating it", (url) => {
  const error = failure({ url });
  expect(error).toBeInstanceOf(TypeError);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
});

test.each([{ publicUrl: "hunter2" }, { from: "Postern <postern@hunter2.example>" }])(
  "rejects %j like every writer of verification mail",
  (changed) => {
    const error = failure(changed);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
  },
);

test.each(["smtp://mail.example", "smtps://mail.example:465", "smtp://u:p@[::1]:2525?requireTLS=true"])(
  "accepts the URL %j",
  (url) => {
    expect(failure({ url })).toBeUndefined();
  },
);

test.each([
  ["email-smtp.eu-west-1.amazonaws.com", true],
  ["EMAIL-SMTP-FIPS.us-east-1.amazonaws.com", true],
  ["vpce-1a2b.email-smtp.us-east-1.vpce.amazonaws.com", true],
  ["email-smtp.cn-north-1.amazonaws.com.cn", true],
  ["my-email-smtp.eu-west-1.amazonaws.com", false],
  ["email-smtp.eu-west-1.amazonaws.com.example", false],
  ["ec2-192-0-2-1.eu-west-1.compute.amazonaws.com", false],
  ["mail.example", false],
])("whether %s gives messages another id is %j", (host, expected) => {
  const relay = smtpRelay({ url: `smtps://user:hunter2@${host}`, name: "mx.alias.example", connections: 1 });
  expect(relay.replacesMessageId).toBe(expected);
  relay.close();
});
