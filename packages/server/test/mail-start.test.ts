import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { explainFailure } from "../src/cli/messages.ts";
import { startServer } from "../src/start-server.ts";
import { configurationWith } from "./support/configuration.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";

/* A server that receives mail starts, or says everything that is in the way. */

const start = async (variables: Record<string, string>) => {
  const started = await startServer(configurationWith({ ...variables, POSTERN_LOG_LEVEL: "silent" }));
  if (started.isOk()) onTestFinished(() => started.value.stop());
  return started;
};

/** What something that listens says first. */
const greetingOf = async (port: number): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  const [line] = await once(createInterface({ input: socket }), "line");
  socket.destroy();
  return String(line);
};

test("greets with its name, and without a relay", async () => {
  const { variables } = await newMailEnvironment();
  const { mailPort } = valueOf(await start(variables));
  expect(await greetingOf(mailPort ?? expect.unreachable("no port"))).toMatch(/^220 mx\.postern\.test ESMTP Postern$/);
});

test("names every wrong file and a spool in use at once, and leaves nothing open", async () => {
  const { directory, variables } = await newMailEnvironment();
  const spool = variables.POSTERN_SPOOL_PATH;
  const other = valueOf(await sqliteSpool({ path: spool, limit: 1_000 }));
  const wrong = join(directory, "wrong.pem");
  writeFileSync(wrong, "no key");
  const failed = await start({
    ...variables,
    POSTERN_DKIM_KEY: wrong,
    POSTERN_MX_TLS_KEY: "/nowhere/key.pem",
    POSTERN_MX_TLS_CERT: wrong,
  });
  const error = failed.isErr() ? failed.error : expect.unreachable("it started");
  expect(error).toMatchObject({
    code: "cannot_open_mail",
    reasons: [
      `POSTERN_DKIM_KEY: ${wrong} is not a private key without a passphrase, as PEM`,
      expect.stringMatching(/^POSTERN_SPOOL_PATH: .*spool\.db is in use/),
      "POSTERN_MX_TLS_KEY and POSTERN_MX_TLS_CERT: /nowhere/key.pem cannot be read (ENOENT)",
    ],
  });
  expect(explainFailure(error)).toMatch(/^Mail cannot be received:\n\n( {2}\S.*\.\n){3}$/);

  await other.close();
  valueOf(await start(variables));
});

test("says who has its port", async () => {
  const { variables } = await newMailEnvironment();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const failed = await start({ ...variables, POSTERN_MX_PORT: `${port}` });
  const error = failed.isErr() ? failed.error : expect.unreachable("it started");
  expect(error).toEqual({ code: "cannot_listen", what: "mail", host: "127.0.0.1", port, reason: "EADDRINUSE" });
  expect(explainFailure(error)).toContain("set POSTERN_MX_PORT to another port");
});
