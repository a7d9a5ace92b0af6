/*
 * Postern's domain inside another program: no server, no framework, ports of your own.
 *
 *     node examples/embed-core.ts
 */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { memoryStore } from "@postern/adapter-memory";
import {
  AliasDomains,
  AliasId,
  addRecipient,
  type Clock,
  createAlias,
  type Ids,
  type LinkClaims,
  RecipientId,
  replaceRecipients,
  type Secrets,
  type VerificationMail,
  verifyRecipient,
} from "@postern/core";
import { ok } from "neverthrow";

const { aliases, recipients } = memoryStore();
const aliasDomains = AliasDomains.parse(["alias.example"]);

const clock: Clock = {
  now: () => Date.now(),
  pause: (attempt) => new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt)),
};

const ids: Ids = {
  alias: () => AliasId.parse(randomUUID()),
  recipient: () => RecipientId.parse(randomUUID()),
};

// Links that live as long as this process. `@postern/server` signs them instead, so that they outlive it.
const links = new Map<string, LinkClaims>();
const secrets: Secrets = {
  random: (below) => randomInt(below),
  nonce: () => randomBytes(16).toString("base64url"),
  seal: (claims) => {
    const token = randomBytes(32).toString("base64url");
    links.set(token, claims);
    return token;
  },
  open: (token) => links.get(token) ?? null,
};

const outbox: { readonly to: string; readonly token: string }[] = [];
const verificationMail: VerificationMail = {
  send: async (message) => {
    outbox.push(message);
    return ok();
  },
};

const postern = {
  addRecipient: addRecipient({ recipients, clock, ids, secrets, verificationMail, aliasDomains }),
  verifyRecipient: verifyRecipient({ recipients, clock, secrets }),
  createAlias: createAlias({ aliases, recipients, clock, ids, secrets, aliasDomains }),
  replaceRecipients: replaceRecipients({ aliases, clock }),
};

const account = "tenant-1";

/** Adds a mailbox and confirms it, as its owner would by the link in the mail. */
const newMailbox = async (email: string): Promise<string> => {
  const { recipient } = (await postern.addRecipient({ account, email }))._unsafeUnwrap();
  for (const { to, token } of outbox) if (to === email) await postern.verifyRecipient({ token });
  return recipient.id;
};

const home = await newMailbox("me@home.example");
const work = await newMailbox("me@work.example");

const created = await postern.createAlias({ account, email: "shop@alias.example", recipientIds: [home] });
if (created.isErr()) throw new Error(`No alias: ${created.error.code}`);

// Failures are values: what can go wrong is in the type, and `code` tells which it was.
const replaced = await postern.replaceRecipients({
  account,
  aliasId: created.value.id,
  recipientIds: [work, home],
});
if (replaced.isErr()) {
  const { error } = replaced;
  if (error.code === "recipients_ineligible") console.error("Not these:", error.recipients);
  else console.error("Not replaced:", error.code);
} else {
  console.log(`${replaced.value.email} forwards to ${replaced.value.destinations.map(({ email }) => email)}`);
}
