import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration, startServer } from "@postern/server";
import { freePort } from "./free-port.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { printedMail } from "./printed-mail.ts";
import { transcript } from "./transcript.ts";

const directory = await mkdtemp(join(tmpdir(), "postern-trial-"));
const links = join(directory, "links");
const provider = await startIdentityProvider(join(directory, "identity-provider"));
const port = await freePort(8080);
const database = process.env["POSTERN_SQLITE_PATH"] ?? ".postern/postern.db";
const publicUrl = `http://127.0.0.1:${port}`;

const configuration = readConfiguration({
  PORT: `${port}`,
  POSTERN_STORE: "sqlite",
  POSTERN_SQLITE_PATH: database,
  POSTERN_ISSUER: provider.issuer,
  POSTERN_AUDIENCE: provider.client,
  POSTERN_ALIAS_DOMAINS: "postern.example",
  POSTERN_PUBLIC_URL: publicUrl,
  POSTERN_LINK_SECRET: randomBytes(32).toString("base64url"),
  POSTERN_MAIL_FROM: "postern@postern.example",
  // Never used: messages are printed.
  POSTERN_SMTP_URL: "smtp://127.0.0.1",
  POSTERN_LOG_LEVEL: "error",
});
if (configuration.isErr()) {
  throw new Error("The trial's configuration is invalid", { cause: configuration.error });
}

const started = await startServer(configuration.value, { verificationMail: printedMail(publicUrl, links) });

const cleanUp = async () => {
  if (started.isOk()) await started.value.stop();
  await rm(directory, { recursive: true, force: true });
};

if (started.isErr()) {
  await cleanUp();
  const { error } = started;
  const STOP = "If another trial is running here, stop it, or set POSTERN_SQLITE_PATH to another file.";
  process.stderr.write(
    error.code === "cannot_listen"
      ? `Cannot listen on port ${error.port} (${error.reason}). Start the trial again.\n`
      : `${error.code === "cannot_open_mail" ? error.reasons.join(". ") : error.message}. ${STOP}\n`,
  );
  process.exit(1);
}

process.stdout.write(`
  POSTERN TRIAL. NOT FOR REAL MAIL OR REAL USERS.
  The identity provider is a stand-in whose signing key is public: anyone can forge its tokens. Both servers
  listen on this machine only (127.0.0.1). Data is stored in ${database}; delete the file to start over.

  API                ${started.value.url}
  identity provider  ${provider.url}   user ${provider.user.email}, password ${provider.user.password}

Paste this into another terminal (it needs sh, curl and sed):

${transcript({ api: started.value.url, provider, links })}
Verification messages are printed below instead of being sent. Ctrl-C stops everything.
`);

let stopping = false;
const stop = async () => {
  // Ctrl-C can arrive twice: from the terminal and from the package manager.
  if (stopping) return;
  stopping = true;
  await cleanUp();
  process.exit(0);
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
