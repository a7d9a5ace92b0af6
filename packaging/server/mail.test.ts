import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../packages/test-support/src/free-port.ts";
import { block } from "../../scripts/document-blocks.ts";
import { checkout } from "./checkout.ts";
import { newOperator, succeeds } from "./operator.ts";
import { verifyUnit } from "./verify-unit.ts";

/* An operator follows docs/mail.md. The tests run in order, on one machine. */

const ENVIRONMENT_FILE = "/etc/postern/postern.env";
const NAME = "mx.postern.test";

let operator: Awaited<ReturnType<typeof newOperator>>;

/** A block with our own names in place of the example names, which the server refuses. */
const ours = (text: string): string =>
  text.replaceAll("mx.example.com", NAME).replaceAll("relay.example.com", "relay.postern.test");

/** The variables that the operator adds to the file. */
const variables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ours(block("docs/mail.md", "The variables"))
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

const run = (commands: string) => succeeds(operator.machine, ours(commands));

beforeAll(async () => {
  operator = await newOperator();
  await operator.install();
  await run(block("docs/operations.md", "Under systemd"));
});
afterAll(() => operator.stop());

test("makes the key", async () => {
  operator.configure(ENVIRONMENT_FILE, variables());
  const published = await run(block("docs/mail.md", "The key"));
  expect(published).toMatch(/^postern1\._domainkey\.alias\.example\.com\. IN TXT \( "v=DKIM1; k=rsa; p=/m);
  expect(statSync(operator.machine.path("/etc/postern/dkim.pem")).mode & 0o777).toBe(0o600);
  const replacement = await run(block("docs/mail.md", "The key", 1));
  expect(replacement).toMatch(/^postern2\._domainkey\.alias\.example\.com\. IN TXT /m);
});

test("prints the records", async () => {
  const records = await run(block("docs/mail.md", "The records"));
  expect(records).toContain(`alias.example.com. IN MX 10 ${NAME}.`);
  expect(records).toContain('_dmarc.alias.example.com. IN TXT "v=DMARC1; p=none"');
});

test("installs the drop-in that adds the right to use port 25, which passes systemd's own checks", async () => {
  await run(block("docs/mail.md", "Port 25"));
  const here = join(operator.machine.root, "units");
  const path = (file: string) => operator.machine.path(`/etc/systemd/system/${file}`);
  await run(`mkdir -p ${here}/postern.service.d`);
  for (const [file, copy] of [
    ["postern.service", "postern.service"],
    ["postern.service.d/mail.conf", "postern.service.d/mail.conf"],
  ] as const) {
    writeFileSync(join(here, copy), operator.machine.path(readFileSync(path(file), "utf8")));
  }
  await verifyUnit(operator.machine, `${here}/postern.service`);
  const exposure = /\(`systemd-analyze security`: (.+?)\)/.exec(
    readFileSync(join(checkout, "docs/mail.md"), "utf8"),
  )?.[1];
  const { output } = await operator.machine.sh(
    `systemd-analyze security --offline=true ${here}/postern.service`,
  );
  expect(output).toContain(`Overall exposure level for postern.service: ${exposure?.replace(",", "")}`);
});

test("starts with the variables, receives mail, and shows the queue", async () => {
  const { machine } = operator;
  // What the drop-in sets, and a different port and relay than in the document.
  operator.configure(ENVIRONMENT_FILE, {
    ...variables(),
    POSTERN_MX_HOST: "127.0.0.1",
    POSTERN_MX_PORT: `${await freePort()}`,
    POSTERN_POSTMASTER: "operator@postern.test",
    POSTERN_RELAY_URL: "smtp://127.0.0.1:1",
    POSTERN_DKIM_KEY: machine.path("/etc/postern/dkim.pem"),
    POSTERN_SPOOL_PATH: machine.path("/var/lib/postern/spool"),
  });
  await run("systemctl start postern");
  const report = await machine.sh(ours(block("docs/mail.md", "Checking it")));
  expect(report.output).toMatch(
    /^warning +mx-port +Postern receives mail on 127\.0\.0\.1:\d+; only this machine can connect to it\. /m,
  );
  expect(report.output).toMatch(/^ok +dkim-key +/m);
  expect(report.output).toMatch(/^wrong +relay +cannot send through /m);
  expect(await run(block("docs/mail.md", "The queue"))).toBe("");
});
