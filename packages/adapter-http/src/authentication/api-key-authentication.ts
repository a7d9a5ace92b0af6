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

/** How many keys that are not known yet each network may present in a minute. */
const MAX_UNKNOWN = 20;

/** How many keys that were accepted are remembered, so that those who guess from the same network cannot lock them out. */
const MAX_KNOWN = 10_000;

const refused = (reason: TokenRefusal) => err({ code: "unauthorized", reason } as const);

/** The key in the request; null if there is none, or several that differ. */
const presentedKey = ({ raw }: AuthorizationRequest): string | null => {
  const keys = [
    ...headerValues(raw, "authorization").map((value) => value.replace(/^Bearer +/i, "")),
    // SimpleLogin's header.
    ...headerValues(raw, "authentication"),
  ].map((key) => key.trim());
  const [key = "", ...others] = new Set(keys);
  return key === "" || others.length > 0 ? null : key;
};

const addressOf = ({ fastify, raw }: AuthorizationRequest): string =>
  fastify?.ip ?? raw.socket.remoteAddress ?? "";

/**
 * Finds out which key a program presents, as `Authorization: Bearer KEY` or `Authentication: KEY`. A network may present 20 unknown keys a
 * minute; beyond that it is told to wait, and the store is not asked.
 */
export const apiKeyAuthentication = ({
  authenticateApiKey,
}: Required<Pick<AnyPostern, "authenticateApiKey">>): Authenticate => {
  const unknown = fixedWindows(WINDOW_MS);
  const known = recentMap<string, true>(MAX_KNOWN);

  return async (request) => {
    const secret = presentedKey(request);
    if (secret === null) return refused("missing");
    const id = hash("sha256", secret, "base64");
    const isKnown = known.get(id) === true;
    const network = networkOf(addressOf(request));
    if (!isKnown) {
      // Counted before it is looked up: many at once must not all get through.
      const { count, left } = unknown.count(network);
      if (count > MAX_UNKNOWN) return err({ code: "rate_limited", retryAfter: Math.max(left, 1) });
    }
    const found = await authenticateApiKey({ secret, client: clientKind(request.headers) });
    if (found.isOk()) {
      if (!isKnown) unknown.discount(network);
      known.set(id, true);
      return ok({ account: found.value.account, apiKey: found.value });
    }
    const { error } = found;
    switch (error.code) {
      case "unavailable":
        return err(error);
      case "api_key_invalid":
        known.delete(id);
        return refused(error.reason === "expired" ? "expired" : "unknown_key");
      case "invalid_request":
        return refused("form");
    }
  };
};
