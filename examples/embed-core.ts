/*
 * Postern inside your own program: no server, no framework.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/embed-core.ts
 */
import { memoryStore } from "@postern/adapter-memory";
import { ok, postern } from "@postern/core";
import { nodePorts } from "@postern/node";

const service = postern({
  store: memoryStore(), // durable stores: see adapter-sqlite, adapter-postgres, adapter-dynamodb
  aliasDomains: ["alias.example"],
  verificationMail: { send: async () => ok() }, // or smtpMail(…) from @postern/adapter-smtp
  ...nodePorts({ linkSecrets: ["replace me with: openssl rand -base64 48"] }),
});

const account = "tenant-1";
const home = await service.adoptRecipient({ account, email: "me@home.example" });
const work = await service.adoptRecipient({ account, email: "me@work.example" });
if (home.isErr() || work.isErr()) throw new Error("The recipients could not be added");

const recipientIds = [home.value.id];
const created = await service.createAlias({ account, email: "shop@alias.example", recipientIds });
if (created.isErr()) throw new Error(`The alias could not be created: ${created.error.code}`);

const { id: aliasId } = created.value;
const list = [work.value.id, home.value.id];
const replaced = await service.replaceRecipients({ account, aliasId, recipientIds: list });
if (replaced.isOk()) {
  console.log(`${replaced.value.email} forwards to ${replaced.value.destinations.map(({ email }) => email)}`);
} else if (replaced.error.code === "recipients_ineligible") {
  console.error("Not verified or not active:", replaced.error.recipients);
} else {
  console.error("Not replaced:", replaced.error.code);
}
