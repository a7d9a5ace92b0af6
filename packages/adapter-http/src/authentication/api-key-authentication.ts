import { hash } from "node:crypto";
import { type AnyPostern, err, ok } from "@postern/core";
import { networkOf } from "../limits/caller.ts";
import { fixedWindows } from "../limits/fixed-windows.ts";
import { recentMap } from "../recent-map.ts";
import { headerValues } from "../syntax/header-values.ts";
import type { AuthorizationRequest } from "./authorizer.ts";
import { clientKind } from "./client-kind.ts";
import type { Authenticate } from "./identity.ts";
import type { TokenRefusal } from "./token-refusal.ts";

const WINDOW_MS = 60_000;

/** How many different keys that are not known yet each network may present in a minute. */
export const MAX_UNKNOWN_KEYS = 20;

/** How many keys are remembered, of those that were accepted, and of those that were not. */
const MAX_REMEMBERED = 10_000;

/** `Authentication` is SimpleLogin's. */
const HEADERS = ["authorization", "authentication"];

const refused = (reason: TokenRefusal) => err({ code: "unauthorized", reason } as const);

/** The key in the request; null if there is none, or more than one. */
const presentedKey = ({ raw }: AuthorizationRequest): string | null => {
  const sent = HEADERS.map((name) => headerValues(raw, name));
  if (sent.some((values) => values.length > 1)) return null;
  const keys = new Set(sent.flat().map((value) => value.replace(/^Bearer\b/i, "").trim()));
  keys.delete("");
  const [key] = keys;
  return key === undefined || keys.size > 1 ? null : key;
};

const addressOf = ({ fastify, raw }: AuthorizationRequest): string =>
  fastify?.ip ?? raw.socket.remoteAddress ?? "";

/**
 * Finds out which key a program presents, as `Authorization: Bearer KEY` or `Authentication: KEY`. A network may present 20 keys a minute
 * that are not known yet. Beyond that it is told to wait, and the store is not asked, but keys that have been accepted before still are: those
 * who guess cannot lock out their neighbors. A program that keeps presenting a key that is wrong by now counts once a minute.
 */
export const apiKeyAuthentication = ({
  authenticateApiKey,
}: Required<Pick<AnyPostern, "authenticateApiKey">>): Authenticate => {
  const unknown = fixedWindows(WINDOW_MS);
  /** By a hash of the key, so that no keys are kept. */
  const accepted = recentMap<string, true>(MAX_REMEMBERED);
  const wrong = recentMap<string, { readonly reason: TokenRefusal; readonly since: number }>(MAX_REMEMBERED);

  return async (request) => {
    const secret = presentedKey(request);
    if (secret === null) return refused("missing");
    const id = hash("sha256", secret, "base64");
    const known = accepted.get(id) === true;
    const network = networkOf(addressOf(request));
    if (!known) {
      const refusal = wrong.get(id);
      if (refusal !== undefined && performance.now() - refusal.since < WINDOW_MS)
        return refused(refusal.reason);
      // Counted before it is looked up: many at once must not all get through.
      const { count, left } = unknown.count(network);
      if (count > MAX_UNKNOWN_KEYS) return err({ code: "rate_limited", retryAfter: Math.max(left, 1) });
    }
    const found = await authenticateApiKey({ secret, client: clientKind(request.headers) });
    if (found.isOk()) {
      if (!known) unknown.discount(network);
      accepted.set(id, true);
      return ok({ account: found.value.account, apiKey: found.value });
    }
    const { error } = found;
    switch (error.code) {
      case "unavailable":
        return err(error);
      case "api_key_invalid": {
        const reason = error.reason === "expired" ? "api_key_expired" : "api_key";
        accepted.delete(id);
        wrong.set(id, { reason, since: performance.now() });
        return refused(reason);
      }
      case "invalid_request":
        return refused("form");
    }
  };
};
