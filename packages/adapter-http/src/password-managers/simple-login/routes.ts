import { type AnyPostern, err } from "@postern/core";
import type { RegisteredRoute } from "../../routes/route.ts";
import { aliasesOnPage, numberIn } from "../alias-pages.ts";
import { createAlias, json, perform, route, text, texts } from "../call.ts";
import { usableRecipients } from "../recipients.ts";
import { aliasJson } from "./alias-json.ts";

/** As many as SimpleLogin lists. */
const PAGE_SIZE = 20;

/** What its owner might call an alias for the website: the name before the top-level domain. */
const prefixFor = (hostname: string): string =>
  /([a-z0-9-]+)\.[a-z0-9-]+$/.exec(hostname.toLowerCase())?.[1] ?? "";

/**
 * The calls of SimpleLogin's API that its browser extension makes to list, create, change, switch and delete aliases, and that password
 * managers make to create one. Their answers have what these programs read.
 *
 * The extension shows nothing unless it gets an answer about the user, the options and the mailboxes, whichever scopes the key has.
 */
export const simpleLoginRoutes = (postern: AnyPostern): readonly RegisteredRoute[] => [
  route("POST", "/api/alias/random/new", "aliases:create", async (call) => {
    const created = await createAlias(postern, call, {
      website: text(call.query, "hostname"),
      note: text(call.body, "note"),
      format: text(call.query, "mode") === "uuid" ? "uuid" : "words",
    });
    return created.andThen((alias) => json(aliasJson(alias), 201));
  }),

  // The suffix is the alias domain, which needs no signature.
  route("POST", "/api/v2/alias/custom/new", "aliases:create", async (call) => {
    const created = await createAlias(postern, call, {
      website: text(call.query, "hostname"),
      note: text(call.body, "note"),
      email: text(call.body, "alias_prefix") + text(call.body, "signed_suffix"),
    });
    return created.andThen((alias) => json(aliasJson(alias), 201));
  }),

  route("GET", "/api/user_info", "any", async ({ key: { name, scopes } }) =>
    json({
      name,
      email: "",
      is_premium: true,
      in_trial: false,
      profile_picture_url: null,
      can_create_reverse_alias: scopes.includes("aliases:write"),
    }),
  ),

  route("GET", "/api/v4/alias/options", "any", async ({ key: { account, scopes }, query }) =>
    (await perform(postern.getService, { account })).andThen(({ aliasDomains }) =>
      json({
        can_create: scopes.includes("aliases:create"),
        prefix_suggestion: prefixFor(text(query, "hostname")),
        suffixes: aliasDomains.map((domain) => [`@${domain}`, `@${domain}`]),
      }),
    ),
  ),

  route("GET", "/api/mailboxes", "any", async (call) =>
    (await usableRecipients(postern, call)).andThen((recipients) =>
      json({ mailboxes: recipients.map(({ id, email }) => ({ id, email, verified: true })) }),
    ),
  ),

  route("POST", "/api/v2/aliases", "aliases:read", async ({ key: { account }, query, body }) => {
    const q = text(body, "query");
    const filter = { account, ...(q !== "" && { q }) };
    const page = await aliasesOnPage(postern, filter, numberIn(query["page_id"], 0), PAGE_SIZE);
    return page.andThen(({ aliases }) => json({ aliases: aliases.map(aliasJson) }));
  }),

  route("POST", "/api/aliases/{alias_id}/toggle", "aliases:write", async ({ key: { account }, aliasId }) => {
    const alias = await perform(postern.getAlias, { account, aliasId });
    if (alias.isErr()) return err(alias.error);
    const { active, version } = alias.value;
    const change = { account, aliasId, active: !active, expectedVersions: [version] };
    const changed = await perform(postern.updateAlias, change);
    return changed.andThen((after) => json({ enabled: after.active }));
  }),

  route("PUT", "/api/aliases/{alias_id}", "aliases:write", async ({ key: { account }, aliasId, body }) => {
    const recipientIds = texts(body, "mailbox_ids");
    if (recipientIds.length > 0) {
      const replaced = await perform(postern.replaceRecipients, { account, aliasId, recipientIds });
      if (replaced.isErr()) return err(replaced.error);
    }
    if (!("note" in body)) return json({ ok: true });
    const changed = await perform(postern.updateAlias, { account, aliasId, description: text(body, "note") });
    return changed.andThen(() => json({ ok: true }));
  }),

  route("DELETE", "/api/aliases/{alias_id}", "aliases:write", async ({ key: { account }, aliasId }) =>
    (await perform(postern.deleteAlias, { account, aliasId })).andThen(() => json({ deleted: true })),
  ),

  route("POST", "/api/aliases/{alias_id}/contacts", "aliases:write", async ({ key, aliasId, body }) => {
    const { createContact } = postern;
    if (createContact === undefined) return err({ code: "route_not_found" });
    const email = text(body, "contact");
    const created = await perform(createContact, { account: key.account, aliasId, email });
    return created.andThen((contact) =>
      json(
        {
          id: contact.id,
          contact: contact.email,
          reverse_alias: contact.reverseAddress,
          reverse_alias_address: contact.reverseAddress,
          existed: false,
        },
        201,
      ),
    );
  }),
];
