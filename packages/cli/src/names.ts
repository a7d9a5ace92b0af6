import { domainToASCII } from "node:url";
import type { Schemas, ThrowingClient } from "@postern/client";
import { isKey } from "./session/key.ts";
import { Stop } from "./stop.ts";

/*
 * Whatever has an address can be named by it: people have addresses at hand, and programs ids. An id contains no `@`.
 */

/** How many of a list are requested at a time: as many as the API gives. */
export const PAGE = { limit: 100 } as const;

/** The longest search that the API accepts. */
const MAX_SEARCH = 100;

const missing = (code: string, what: string, name: string, list: string): Stop =>
  new Stop("refused", `${code}: There is no ${what} ${name}. \`postern ${list}\` shows them.`);

/** An address as the API writes it, except that its case does not matter. */
const folded = (address: string): string => {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  return `${address.slice(0, at)}${domainToASCII(domain) || domain}`.toLowerCase();
};

/** The alias with this id or address, deleted or not. */
export const aliasIdOf = async (client: ThrowingClient, name: string): Promise<string> => {
  if (!name.includes("@")) return name;
  const address = folded(name);
  for (const deleted of [false, true]) {
    for await (const alias of client.allAliases({ ...PAGE, q: address.slice(0, MAX_SEARCH), deleted }))
      if (folded(alias.alias_email) === address) return alias.alias_id;
  }
  throw missing("alias_not_found", "alias", name, "alias list");
};

/** The recipients with these ids or addresses, in this order. */
export const recipientsOf = async (
  client: ThrowingClient,
  names: readonly string[],
): Promise<readonly Schemas["Recipient"][]> => {
  const recipients: Schemas["Recipient"][] = [];
  // There are 200 at most, unless the operator has changed that.
  for await (const recipient of client.allRecipients(PAGE)) recipients.push(recipient);
  return names.map((name) => {
    const found =
      recipients.find((each) => each.recipient_id === name || each.recipient_email === name) ??
      recipients.find(({ recipient_email }) => folded(recipient_email) === folded(name));
    if (found === undefined) throw missing("recipient_not_found", "recipient", name, "recipient list");
    return found;
  });
};

export const recipientIdOf = async (client: ThrowingClient, name: string): Promise<string> => {
  if (!name.includes("@")) return name;
  const [recipient] = await recipientsOf(client, [name]);
  return recipient?.recipient_id ?? name;
};

/** The contact of an alias with this id or address. */
export const contactIdOf = async (client: ThrowingClient, aliasId: string, name: string): Promise<string> => {
  if (!name.includes("@")) return name;
  for await (const contact of client.allContacts(aliasId, { email: name })) return contact.contact_id;
  throw missing("contact_not_found", "contact", name, "contact list ALIAS");
};

/** The blocked sender with this id, address or domain. */
export const blockedSenderIdOf = async (client: ThrowingClient, name: string): Promise<string> => {
  for await (const { blocked_sender_id, sender } of client.allBlockedSenders(PAGE))
    if (blocked_sender_id === name || folded(sender) === folded(name)) return blocked_sender_id;
  throw missing("blocked_sender_not_found", "blocked sender", name, "block list");
};

/** The webhook with this id or URL. */
export const webhookIdOf = async (client: ThrowingClient, name: string): Promise<string> => {
  if (!name.includes("/")) return name;
  const { data } = await client.listWebhooks();
  const found = data.webhooks.filter(({ url }) => url === name);
  if (found.length > 1) {
    throw new Stop(
      "usage",
      `Several webhooks have the URL ${name}: name one by its id (\`postern webhook list\`).`,
    );
  }
  const [webhook] = found;
  if (webhook === undefined) throw missing("webhook_not_found", "webhook", name, "webhook list");
  return webhook.webhook_id;
};

/** The key with this id or name. */
export const keyOf = async (client: ThrowingClient, name: string): Promise<Schemas["ApiKey"]> => {
  // Whoever has found one that leaked may know nothing else of it.
  if (isKey(name)) {
    throw new Stop("usage", "This is the key itself. Name it by its name or id: `postern key list`.");
  }
  const { keys } = (await client.listApiKeys()).data;
  const same = [
    keys.filter(({ key_id }) => key_id === name),
    keys.filter((key) => key.name === name),
    keys.filter((key) => key.name.toLowerCase() === name.toLowerCase()),
  ].find(({ length }) => length > 0);
  const [key, ...others] = same ?? [];
  if (key === undefined) throw missing("key_not_found", "key", name, "key list");
  if (others.length > 0) {
    throw new Stop("usage", `Several keys are called ${name}: name one by its id (\`postern key list\`).`);
  }
  return key;
};
