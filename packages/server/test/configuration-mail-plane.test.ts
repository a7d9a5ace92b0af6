import { describe, expect, test } from "vitest";
import { configurationWith, problems } from "./support/configuration.ts";
import { environment } from "./support/environment.ts";

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

  test("is on with a port and the other variables it needs, and sends through the server for verification mail", () => {
    expect(configurationWith(mail).mailPlane).toEqual({
      port: 2525,
      host: "127.0.0.1",
      name: "mx.postern.test",
      tls: undefined,
      messagesPerMinute: 600,
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
      subjects: false,
      deliveryNotices: false,
    });
  });

  test("uses the values that are set", () => {
    const variables = {
      ...mail,
      POSTERN_MX_HOST: "::",
      POSTERN_MX_TLS_KEY: "/etc/key.pem",
      POSTERN_MX_TLS_CERT: "/etc/cert.pem",
      POSTERN_MX_RATE_LIMIT: "0",
      POSTERN_SPOOL_PATH: "/var/spool/postern",
      POSTERN_SPOOL_LIMIT: "5368709120",
      POSTERN_RELAY_URL: "smtp://127.0.0.1:2",
      POSTERN_DKIM_SELECTOR: "2026.postern",
      POSTERN_MAIL_SIZE: "1",
      POSTERN_MAIL_INACTIVE: "discard",
      POSTERN_MAIL_DMARC: "ignore",
      POSTERN_MAIL_DSN: "never",
      POSTERN_MAIL_ARC: "false",
      POSTERN_MAIL_SUBJECTS: "true",
      POSTERN_DELIVERY_NOTICES: "true",
    };
    expect(configurationWith(variables).mailPlane).toMatchObject({
      host: "::",
      tls: { key: "/etc/key.pem", cert: "/etc/cert.pem" },
      messagesPerMinute: 0,
      spoolPath: "/var/spool/postern",
      spoolLimit: 5_368_709_120,
      relayUrl: "smtp://127.0.0.1:2",
      dkimSelector: "2026.postern",
      maxSize: 1,
      inactive: "discard",
      dmarc: "ignore",
      dsn: "never",
      arc: false,
      subjects: true,
      deliveryNotices: true,
    });
  });

  test("reports all missing variables at once, even if something else is wrong", () => {
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

  test("needs a relay if SES sends verification mail, and only then", () => {
    const ses = { POSTERN_SMTP_URL: "ses://us-gov-west-1" };
    expect(problems({ ...mail, ...ses })).toMatchObject([
      {
        variable: "POSTERN_RELAY_URL",
        problem: "is required, because SES (POSTERN_SMTP_URL) sends verification mail only",
      },
    ]);
    const relay = { POSTERN_RELAY_URL: "smtp://127.0.0.1:2" };
    expect(configurationWith({ ...mail, ...ses, ...relay }).mailPlane).toMatchObject({
      relayUrl: "smtp://127.0.0.1:2",
    });
    expect(configurationWith(ses)).toMatchObject({ smtpUrl: "ses://us-gov-west-1", mailPlane: undefined });
  });

  test("needs both TLS files, or neither", () => {
    expect(problems({ ...mail, POSTERN_MX_TLS_KEY: "/key.pem" })).toMatchObject([
      { variable: "POSTERN_MX_TLS_CERT", problem: "is required with POSTERN_MX_TLS_KEY" },
    ]);
    expect(problems({ ...mail, POSTERN_MX_TLS_CERT: "/cert.pem" })).toMatchObject([
      { variable: "POSTERN_MX_TLS_KEY", problem: "is required with POSTERN_MX_TLS_CERT" },
    ]);
  });

  test("needs absolute paths for the TLS files, and does not repeat values that could be keys", () => {
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
    // Each is checked only if the other is valid.
    expect(problems({ ...mail, POSTERN_MAIL_SIZE: "x", POSTERN_SPOOL_LIMIT: "99" })).toMatchObject([
      { variable: "POSTERN_MAIL_SIZE" },
    ]);
    expect(problems({ ...mail, POSTERN_ALIAS_DOMAINS: undefined })).toMatchObject([
      { variable: "POSTERN_ALIAS_DOMAINS", problem: "is required" },
    ]);
  });

  test("listens on a port of its own", () => {
    const refused = (other: string) => [
      { variable: "POSTERN_MX_PORT", problem: `is the same as ${other}: set a different one` },
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
