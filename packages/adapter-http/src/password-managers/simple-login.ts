import type { Alias, AnyPostern } from "@postern/core";
import { jsonResponse } from "../responses/response.ts";
import type { RegisteredRoute } from "../routes/route.ts";
import { createAliasFor, keyOf, textIn } from "./alias-for-website.ts";

/** An alias as SimpleLogin's API shows it. */
export const simpleLoginJson = ({
  id,
  email,
  description,
  active,
  destinations,
  tallies,
  createdAt,
}: Alias) => {
  const mailboxes = destinations.map(({ recipientId, email: mailbox }) => ({
    id: recipientId,
    email: mailbox,
  }));
  return {
    alias: email,
    email,
    id,
    name: null,
    note: description === "" ? null : description,
    enabled: active,
    creation_timestamp: Math.floor(createdAt / 1000),
    creation_date: new Date(createdAt).toISOString(),
    nb_forward: tallies.sent.count,
    nb_block: tallies.blocked.count,
    nb_reply: tallies.replied.count,
    mailbox: mailboxes[0],
    mailboxes,
    latest_activity: null,
    pinned: false,
    support_pgp: false,
    disable_pgp: false,
  };
};

const queryOf = (query: unknown, name: string): string => textIn(query, name) ?? "";

/** `POST /api/alias/random/new?hostname=…&mode=uuid|word` with the body `{"note"}`, or without one. */
const createRandomAlias = (postern: AnyPostern): RegisteredRoute => ({
  method: "POST",
  path: "/api/alias/random/new",
  scope: "aliases:create",
  creates: true,
  anyBody: true,
  handler: () => async (request) => {
    const created = await createAliasFor(postern, keyOf(request), {
      website: queryOf(request.query, "hostname"),
      note: textIn(request.body, "note") ?? "",
      format: queryOf(request.query, "mode") === "uuid" ? "uuid" : "words",
    });
    return created.map((alias) => jsonResponse(201, simpleLoginJson(alias)));
  },
});

/** The calls of SimpleLogin's API. */
export const simpleLoginRoutes = (postern: AnyPostern): readonly RegisteredRoute[] => [
  createRandomAlias(postern),
];
