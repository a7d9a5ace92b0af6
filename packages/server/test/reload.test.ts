import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, copyFileSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newCertificate } from "@postern/test-support/certificate";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test, vi } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { ended, linesOf, run, serving, useSilentIssuer } from "./support/main-process.ts";
import { openSession } from "./support/smtp-session.ts";

/* SIGHUP makes a server reload its certificate, at any time, and never ends the server. It does end commands. */

const environment = await useSilentIssuer();

/** A named pipe. Whoever opens it as a file waits until the test writes to it. */
const newPipe = (path: string) => {
  execFileSync("mkfifo", [path]);
  return {
    path,
    /** Resolves once somebody is waiting, to a function that lets them continue. */
    waiting: async () => {
      const flags = constants.O_WRONLY | constants.O_NONBLOCK;
      const pipe = await vi.waitFor(() => openSync(path, flags), { timeout: 120_000 });
      return (content: Uint8Array) => {
        writeSync(pipe, content);
        closeSync(pipe);
      };
    },
  };
};

test("SIGHUP makes it reload its certificate; during the start, as soon as it has started", async () => {
  const { directory, variables } = await newMailEnvironment();
  const certificateOf = (name: string) => {
    mkdirSync(join(directory, name));
    return newCertificate(join(directory, name), 90, name);
  };
  const [first, second] = [certificateOf("first.test"), certificateOf("second.test")];
  const key = newPipe(join(directory, "key.pem"));
  const cert = join(directory, "cert.pem");
  copyFileSync(first.file, cert);
  const port = await freePort();
  const server = run({
    ...variables,
    POSTERN_ISSUER: environment.POSTERN_ISSUER,
    POSTERN_MX_PORT: `${port}`,
    POSTERN_MX_TLS_KEY: key.path,
    POSTERN_MX_TLS_CERT: cert,
  });
  const provide = async (certificate: typeof first) => {
    const goOn = await key.waiting();
    copyFileSync(certificate.file, cert);
    goOn(certificate.key);
  };
  const shown = async () => (await openSession(port)).certificateName();

  const goOn = await key.waiting();
  server.kill("SIGHUP");
  goOn(first.key);
  await serving(server);
  await provide(second);
  await expect.poll(shown).toBe("second.test");

  server.kill("SIGHUP");
  await provide(first);
  await expect.poll(shown).toBe("first.test");
});

test("SIGHUP does not end a server that has no certificate, but makes it say so", async () => {
  const server = run(environment);
  const url = await serving(server);
  const end = ended(server);
  server.kill("SIGHUP");
  expect((await fetch(`${url}/health`)).status).toBe(200);
  server.kill("SIGTERM");
  const { output, ...others } = await end;
  expect(others).toEqual({ errors: "", status: 0, signal: null });
  expect(linesOf(output)).toContainEqual(
    expect.objectContaining({ msg: "no certificate to reload", level: 30 }),
  );
});

test("SIGHUP ends a command, as when its terminal is closed", async () => {
  const directory = newDirectory();
  const archive = newPipe(join(directory, "archive"));
  const variables = { ...environment, POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "db") };
  const command = run(variables, "import", archive.path);
  const exit = once(command, "exit");
  await archive.waiting();
  command.kill("SIGHUP");
  expect(await exit).toEqual([null, "SIGHUP"]);
});
