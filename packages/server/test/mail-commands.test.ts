import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import * as z from "zod";
import { publicKeyIn } from "./support/dkim-key.ts";
import { run } from "./support/run-command.ts";

const TIMEOUT_MS = 180_000;

const variables = {
  POSTERN_ALIAS_DOMAINS: "alias.postern.test,other.test",
  POSTERN_MX_NAME: "mx.postern.test",
  POSTERN_SMTP_URL: "smtps://user:private-password@relay.postern.test",
  POSTERN_DKIM_SELECTOR: "postern1",
};

/** The records in a zone file: name, type, and data, with the strings of a TXT record joined. */
const recordsIn = (zone: string) =>
  zone
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(";"))
    .map((line) => {
      const [, name, type, data = ""] = /^(\S+)\. IN (\S+) (.*)$/.exec(line) ?? [];
      const strings = [...data.matchAll(/"([^"]*)"/g)].map(([, string = ""]) => string);
      for (const string of strings) expect(string.length).toBeLessThanOrEqual(255);
      return [name, type, type === "TXT" ? strings.join("") : data];
    });

const Records = z.array(
  z.strictObject({
    domain: z.string(),
    name: z.string(),
    type: z.enum(["MX", "TXT"]),
    value: z.string().nullable(),
    purpose: z.string().min(1),
  }),
);

test("mail key makes a key and never overwrites it; mail records prints everything that has to be published", {
  timeout: TIMEOUT_MS,
}, async () => {
  const path = join(newDirectory(), "dkim.pem");
  const withKey = { ...variables, POSTERN_DKIM_KEY: path };
  expect(await run(withKey, "mail", "records")).toEqual({
    status: 1,
    output: "",
    errors: `${path} cannot be read (ENOENT). \`mail key\` makes a new one.\n`,
  });

  const made = await run(withKey, "mail", "key");
  expect([made.status, made.errors]).toEqual([0, expect.stringContaining(`Created ${path}. Publish`)]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const pem = readFileSync(path, "utf8");
  const key = publicKeyIn(path);
  const dkim = (domain: string) => [`postern1._domainkey.${domain}`, "TXT", `v=DKIM1; k=rsa; p=${key}`];
  expect(recordsIn(made.output)).toEqual([dkim("alias.postern.test"), dkim("other.test")]);
  expect(made.output + made.errors).not.toContain("PRIVATE");

  expect(await run(withKey, "mail", "key")).toEqual({
    status: 1,
    output: "",
    errors: `${path} already exists, and is never overwritten. To replace the key, set POSTERN_DKIM_KEY to a new file and POSTERN_DKIM_SELECTOR to a new selector.\n`,
  });
  expect(readFileSync(path, "utf8")).toBe(pem);

  const zone = await run(withKey, "mail", "records");
  expect([zone.status, zone.errors]).toEqual([0, expect.stringContaining("`doctor`")]);
  const published = (domain: string) => [
    [domain, "MX", "10 mx.postern.test."],
    dkim(domain),
    [`_dmarc.${domain}`, "TXT", "v=DMARC1; p=none"],
  ];
  expect(recordsIn(zone.output)).toEqual([...published("alias.postern.test"), ...published("other.test")]);
  // Values that only the operator knows are commented out.
  expect(zone.output).toContain('\n; alias.postern.test. IN TXT "…"\n');
  expect(zone.output).toMatch(/^; mx\.postern\.test itself needs an A record/m);
  expect(zone.output).not.toContain("PTR");

  const { output } = await run(withKey, "mail", "records", "--json");
  const records = Records.parse(JSON.parse(output));
  expect(records.flatMap(({ name, type, value }) => (value === null ? [] : [[name, type, value]]))).toEqual(
    recordsIn(zone.output),
  );
  expect(records.filter(({ value }) => value === null)).toEqual([
    expect.objectContaining({
      name: "alias.postern.test",
      purpose: expect.stringContaining("relay.postern.test"),
    }),
    expect.objectContaining({ name: "other.test" }),
  ]);
  for (const text of [zone.output, zone.errors, output]) expect(text).not.toContain("private-password");
});

test("mail key says what it lacks; mail shows its usage", { timeout: TIMEOUT_MS }, async () => {
  expect(await run({}, "mail", "key")).toEqual({
    status: 1,
    output: "",
    errors:
      "Set these variables as for the server: POSTERN_ALIAS_DOMAINS is required; POSTERN_DKIM_KEY is required; POSTERN_DKIM_SELECTOR is required.\n",
  });
  expect(await run({}, "mail", "keys")).toEqual({
    status: 1,
    output: "",
    errors: expect.stringMatching(/^Usage: mail key\n {7}mail records/),
  });
});
