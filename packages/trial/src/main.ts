import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createDkimKey, readConfiguration, startServer } from "@postern/server";
import { createTransport } from "nodemailer";
import { buildBrowserApp } from "./browser-app.ts";
import { commandLine } from "./command-line.ts";
import { deliveryNotices } from "./delivery-notices.ts";
import { freePort } from "./free-port.ts";
import { startIdentityProvider } from "./identity-provider/identity-provider.ts";
import { PEOPLE } from "./identity-provider/registered.ts";
import { startMailboxPages } from "./mailbox-pages/mailbox-pages.ts";
import { startMailboxes } from "./mailboxes.ts";
import { startNameServer } from "./name-server.ts";
import { makeSample } from "./sample.ts";
import { transcript } from "./transcript.ts";

/** Everything that is kept: the database, the secrets, mail under way, and the mailboxes. */
const directory = resolve(process.env["POSTERN_TRIAL_DIRECTORY"] ?? ".postern");
mkdirSync(directory, { recursive: true });
const shown = (path: string): string => relative(process.cwd(), path);

const linkSecret = join(directory, "link-secret");
if (!existsSync(linkSecret))
  writeFileSync(linkSecret, randomBytes(32).toString("base64url"), { mode: 0o600 });
const dkimKey = join(directory, "dkim.pem");
// If that fails, the server says that it cannot read the key, and why.
if (!existsSync(dkimKey)) await createDkimKey(dkimKey);

const webFolder = join(directory, "browser-app");
await buildBrowserApp(webFolder);

const webPort = await freePort(8090);
const port = await freePort(8080);
const keysPort = await freePort(8081);
const mailPort = await freePort(2525);
const webUrl = `http://127.0.0.1:${webPort}`;
const publicUrl = `http://127.0.0.1:${port}`;
const keysUrl = `http://127.0.0.1:${keysPort}`;

/** Where the browser app is when people work on it: Vite's development server. */
const developmentUrl = "http://localhost:5173";

// Only this machine sends mail, so a reply from any recipient is accepted. Nobody sends mail for bank.example.
const names = await startNameServer({
  "*": "v=spf1 ip4:127.0.0.1 -all",
  "bank.example": "v=spf1 -all",
  "_dmarc.bank.example": "v=DMARC1; p=reject",
});
/** Those of the sample data are not. */
let listsMail = false;
const notices = deliveryNotices(mailPort);
const mailboxFolders = join(directory, "mailboxes");
const mailboxes = await startMailboxes({
  directory: mailboxFolders,
  onDelivery: ({ to, file, text }, { mailFrom, rcptTo }) => {
    // Other mail servers report nothing.
    const reports = /@example\.com$/i.test(to);
    const asked = rcptTo.some(({ address, dsn }) => address === to && dsn?.notify?.includes("SUCCESS"));
    if (reports && asked && mailFrom) notices.send(mailFrom.address, to);
    if (!listsMail) return;
    process.stdout.write(`\n[mail] ${shown(file)}\n`);
    const [link] = /http:\S+\/recipients\/verify\?token=[\w.~%-]+/.exec(text) ?? [];
    if (link !== undefined) process.stdout.write(`       Confirm this address: ${link}\n`);
  },
});
const mailboxPages = await startMailboxPages({
  port: await freePort(8082),
  directory: mailboxFolders,
  mailPort,
  api: publicUrl,
});
const letters = createTransport({ url: mailboxes.url });
const provider = await startIdentityProvider({
  port: await freePort(9229),
  origins: [webUrl, developmentUrl],
  onResetCode: (to, code) => {
    const text = `Your code to choose another password is ${code}.`;
    const sent = letters.sendMail({ from: "no-reply@postern.example", to, subject: "Your code", text });
    // The trial is stopping.
    sent.catch(() => {});
  },
});

const configuration = readConfiguration({
  PORT: `${port}`,
  POSTERN_STORE: "sqlite",
  POSTERN_SQLITE_PATH: join(directory, "postern.db"),
  POSTERN_ISSUER: provider.issuer,
  POSTERN_AUDIENCE: Object.values(provider.clients)
    .map(({ id }) => id)
    .join(","),
  POSTERN_CORS_ORIGINS: developmentUrl,
  POSTERN_WEB_PORT: `${webPort}`,
  POSTERN_WEB_CLIENT: provider.clients.browser.id,
  POSTERN_WEB_SIGN_IN: "srp,oidc",
  POSTERN_ALIAS_DOMAINS: "postern.example",
  POSTERN_PUBLIC_URL: publicUrl,
  POSTERN_KEYS_PORT: `${keysPort}`,
  POSTERN_KEYS_URL: keysUrl,
  POSTERN_LINK_SECRET_FILE: linkSecret,
  POSTERN_MAIL_FROM: "postern@postern.example",
  // All outgoing mail ends there: nothing leaves this machine.
  POSTERN_SMTP_URL: mailboxes.url,
  POSTERN_MX_PORT: `${mailPort}`,
  POSTERN_MX_NAME: "mx.postern.example",
  POSTERN_POSTMASTER: "postmaster@example.com",
  POSTERN_SPOOL_PATH: join(directory, "spool"),
  POSTERN_DKIM_KEY: dkimKey,
  POSTERN_DKIM_SELECTOR: "trial",
  POSTERN_DELIVERY_NOTICES: "true",
  POSTERN_MAIL_SUBJECTS: "true",
  POSTERN_DNS: `127.0.0.1:${names.port}`,
  POSTERN_LOG_LEVEL: "error",
});
if (configuration.isErr()) {
  throw new Error("The trial's configuration is invalid", { cause: configuration.error });
}

const started = await startServer(configuration.value, { webFolder });

const cleanUp = async () => {
  notices.close();
  if (started.isOk()) await started.value.stop();
  names.close();
  await mailboxPages.stop();
  await mailboxes.stop();
  await provider.stop();
};

if (started.isErr()) {
  await cleanUp();
  const { error } = started;
  const STOP =
    "If another trial is running here, stop it, or set POSTERN_TRIAL_DIRECTORY to another directory.";
  process.stderr.write(
    error.code === "cannot_listen"
      ? `Cannot listen on port ${error.port} (${error.reason}). Start the trial again.\n`
      : `${error.code === "cannot_open_mail" ? error.reasons.join(". ") : error.message}. ${STOP}\n`,
  );
  process.exit(1);
}

const api = started.value.url;
const { scripts } = provider.clients;
const signedIn = { url: provider.url, client: scripts.id };
const sampleMade = join(directory, "sample-made");
if (!existsSync(sampleMade)) {
  await makeSample({
    api,
    keysUrl,
    mailPort,
    provider: signedIn,
    mailboxes: mailboxFolders,
  }).then(
    () => writeFileSync(sampleMade, ""),
    (error: Error) => process.stderr.write(`The sample data is not complete: ${error.message}\n`),
  );
}

const { ready, newcomer, careful } = PEOPLE;
const { browser, commandLine: commandLineClient } = provider.clients;
process.stdout.write(`
  POSTERN TRIAL. NOT FOR REAL MAIL OR REAL USERS.
  The identity provider is a stand-in for Cognito that tells everybody its passwords. All servers listen on this
  machine only (127.0.0.1). Mail is stored in files instead of being sent. Everything is kept in
  ${directory}; delete that directory to start over.

  browser app        ${webUrl}   open it, and sign in as ${ready.email} with ${ready.password}
  mailboxes          ${mailboxPages.url}   read mail, confirm addresses, and write to aliases
  their files        ${shown(mailboxFolders)}

  API                ${api}
  keys               ${keysUrl}   for programs: postern key create "My program" --scope aliases:create
  incoming mail      smtp://127.0.0.1:${mailPort}   for postern.example
  identity provider  ${provider.issuer}

  ${ready.email}     ${ready.password}       has sample data
  ${newcomer.email}      ${newcomer.password}  must choose a password
  ${careful.email}  ${careful.password}    and a code; secret for the authenticator app: ${careful.authenticator}

  App clients of the identity provider:
  for browsers       ${browser.id}  ${webUrl}, ${developmentUrl}
  for terminals      ${commandLineClient.id}  ${commandLineClient.callbacks[0]}, or port 8977 or 8978
  for scripts        ${scripts.id}  send the password itself

With the command line (docs/cli.md), elsewhere:

${commandLine({ api, issuer: provider.issuer, client: commandLineClient.id, directory })}
With curl, paste this into another terminal (it needs sh, curl, sed and grep): it sends a message to an alias, and the
message arrives in the mailboxes of both of the alias's recipients. One of them answers.

${transcript({ api, mailPort, provider: signedIn, mailboxes: mailboxFolders })}
Messages that arrive are listed below. Ctrl-C stops everything.
`);
listsMail = true;

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
