import { execFile } from "node:child_process";
import { chownSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { main } from "@postern/test-support/built-server";
import { newCertificate } from "@postern/test-support/certificate";
import { freePort } from "@postern/test-support/free-port";
import { expect } from "vitest";
import * as z from "zod";
import { startDiscoveredIssuer } from "./discovered-issuer.ts";
import { startDnsServer } from "./dns-server.ts";
import { environment } from "./environment.ts";
import { startMailbox } from "./mailbox.ts";
import { expectNoSecrets } from "./no-secrets.ts";
import type { Ran } from "./run-command.ts";

const NOBODY = 65_534;

const SMTP_PASSWORD = "private-smtp-password";

const SECRETS = [SMTP_PASSWORD, environment.POSTERN_LINK_SECRET, "private-redis-password"];

export const Report = z.array(
  z.strictObject({
    check: z.string(),
    status: z.enum(["ok", "warning", "wrong"]),
    found: z.string().min(1),
    action: z.string().min(1).nullable(),
  }),
);
type Finding = z.infer<typeof Report>[number];

type Variables = Readonly<Record<string, string>>;

/** Runs `doctor` with these variables only, through the command `before`, such as `prlimit`, if there is one. */
const runDoctor = async (variables: Variables, flags: readonly string[], before: readonly string[]) => {
  const [program = "", ...args] = [...before, process.execPath, main, "doctor", ...flags];
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const { PATH = "" } = process.env;
  const child = execFile(program, args, { env: { PATH, ...variables } }, (_, output, errors) =>
    resolve({ status: child.exitCode ?? -1, output, errors }),
  );
  const ran = await promise;
  for (const text of [ran.output, ran.errors]) {
    expectNoSecrets(text, variables);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
  return ran;
};

/** A new, empty store. If the test runs as root, it gets the owner that a service would have. */
export const newSqliteFile = async () => {
  const directory = await mkdtemp(join(tmpdir(), "doctor-test-"));
  if (process.getuid?.() === 0) chownSync(directory, NOBODY, NOBODY);
  const path = join(directory, "postern.db");
  valueOf(sqliteStore({ path, clock: Date })).close();
  return { path, remove: () => rm(directory, { recursive: true }) };
};

/** Everything that a server needs, all real and as it should be. */
export const startPatient = async () => {
  const directory = await mkdtemp(join(tmpdir(), "doctor-test-"));
  const certificate = newCertificate(directory, 90);
  const issuer = await startDiscoveredIssuer();
  const mailbox = await startMailbox(0, {
    ...certificate,
    authOptional: false,
    onAuth: ({ password }, _session, done) =>
      password === SMTP_PASSWORD
        ? done(null, { user: "user" })
        : done(Object.assign(new Error("user@mail.test: no"), { responseCode: 535 })),
  });
  const dns = await startDnsServer([
    "--mx-host=alias.example.com,mail.postern.test,10",
    "--txt-record=postern.test,v=spf1 a -all",
    "--txt-record=without-dmarc.test,v=spf1 a -all",
    "--txt-record=_dmarc.postern.test,v=DMARC1; p=none",
  ]);
  const smtpUrl = (user: string) => mailbox.url.replace("smtp://127.0.0.1", `smtp://${user}@localhost`);
  const variables: Variables = {
    ...environment,
    ...dns.variables,
    PORT: `${await freePort()}`,
    POSTERN_STORE: "sqlite",
    POSTERN_ISSUER: issuer.url,
    POSTERN_SMTP_URL: smtpUrl(`user:${SMTP_PASSWORD}`),
    NODE_EXTRA_CA_CERTS: certificate.file,
  };
  return {
    variables,
    /** The messages that were sent. */
    messages: mailbox.messages,
    wrongLogin: smtpUrl("user:private-wrong"),
    directory,
    /** Runs `doctor --json` with these variables changed. */
    examine: async (changed: Variables, ...before: string[]) => {
      const all = { ...variables, ...changed };
      const { status, output, errors } = await runDoctor(all, ["--json"], before);
      const findings = Report.parse(JSON.parse(output));
      const wrongs = findings.filter((finding) => finding.status === "wrong").length;
      const warnings = findings.filter((finding) => finding.status === "warning").length;
      expect(status).toBe(wrongs > 0 ? 1 : 0);
      expect(errors).toBe(
        wrongs > 0
          ? `Wrong: ${wrongs}, warnings: ${warnings}.\n`
          : `Nothing is wrong. Warnings: ${warnings}.\n`,
      );
      for (const { status, action } of findings) expect(action === null).toBe(status === "ok");
      return {
        findings,
        status,
        of: (check: string): Finding =>
          findings.find((finding) => finding.check === check) ?? expect.unreachable(`no finding of ${check}`),
      };
    },
    /** Runs `doctor` with these variables changed, as a person does. */
    show: (changed: Variables, ...before: string[]) => runDoctor({ ...variables, ...changed }, [], before),
    stop: async () => {
      await Promise.all([issuer.stop(), mailbox.stop(), dns.stop()]);
      await rm(directory, { recursive: true });
    },
  };
};
