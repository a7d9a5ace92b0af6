import { execFile } from "node:child_process";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { newCertificate } from "@postern/test-support/certificate";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect } from "vitest";
import * as z from "zod";
import { startDiscoveredIssuer } from "./discovered-issuer.ts";
import { startDnsServer } from "./dns-server.ts";
import { environment } from "./environment.ts";
import { startMailbox } from "./mailbox.ts";
import { expectNoSecrets } from "./no-secrets.ts";
import type { Ran } from "./run-command.ts";
import { runHere } from "./run-here.ts";

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

/** Runs `doctor` as a process, through the command `before`, such as `prlimit`, if there is one. */
const startDoctor = (variables: Variables, flags: readonly string[], before: readonly string[]) => {
  const [program = "", ...args] = [...before, process.execPath, main, "doctor", ...flags];
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = execFile(program, args, { env: { ...compiled, ...variables } }, (_, output, errors) =>
    resolve({ status: child.exitCode ?? -1, output, errors }),
  );
  return promise;
};

const withoutSecrets = (ran: Ran, variables: Variables): Ran => {
  for (const text of [ran.output, ran.errors]) {
    expectNoSecrets(text, variables);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
  return ran;
};

/** For `examine`: as a process, and through no other command. */
export const AS_PROCESS = "env";

/** A new, empty store. If the test runs as root, it gets the owner that a service would have. */
export const newSqliteFile = (): string => {
  const directory = newDirectory();
  if (process.getuid?.() === 0) chownSync(directory, NOBODY, NOBODY);
  const path = join(directory, "postern.db");
  valueOf(sqliteStore({ path, clock: Date })).close();
  return path;
};

/** Everything that a server needs, all real and as it should be. */
export const startPatient = async () => {
  const directory = newDirectory();
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
  const { PATH = "" } = process.env;
  const variables: Variables = {
    PATH,
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
    /** Runs `doctor --json` with these variables changed: here, or through the command `before`, such as `prlimit`. */
    examine: async (changed: Variables, ...before: string[]) => {
      const all = { ...variables, ...changed };
      const ran =
        before.length > 0
          ? startDoctor(all, ["--json"], before)
          : // Here, it would ask another DNS server than a process with NODE_OPTIONS.
            runHere({ POSTERN_DNS: dns.address, ...all }, "doctor", "--json");
      const { status, output, errors } = withoutSecrets(await ran, all);
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
    show: async (changed: Variables) => {
      const all = { ...variables, ...changed };
      return withoutSecrets(await startDoctor(all, [], []), all);
    },
    stop: async () => void (await Promise.all([issuer.stop(), mailbox.stop(), dns.stop()])),
  };
};
