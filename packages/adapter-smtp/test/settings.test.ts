import { inspect } from "node:util";
import { expect, test } from "vitest";
import { smtpMail, verificationWriter } from "../src/index.ts";
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

test.each(["", "postern.example", "/path"])("rejects the public URL %j", (publicUrl) => {
  expect(failure({ publicUrl })).toBeInstanceOf(TypeError);
});

test.each(["", "postern", "Postern <postern@hunter2.example>"])("rejects the sender %j", (from) => {
  const error = failure({ from });
  expect(error).toBeInstanceOf(TypeError);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
});

test.each([
  [{ name: "hunter2\r\nBcc: eve@example.com" }, "service.name must be text on one line"],
  [{ name: "Posthorn", url: "javascript:hunter2" }, "service.url must be a URL"],
])("rejects the service %j", (service, message) => {
  const error = failure({ service });
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
  expect(() => verificationWriter({ ...settings, service })).toThrow(message);
});

test.each(["smtp://mail.example", "smtps://mail.example:465", "smtp://u:p@[::1]:2525?requireTLS=true"])(
  "accepts the URL %j",
  (url) => {
    expect(failure({ url })).toBeUndefined();
  },
);
