import type { AnyPostern } from "@postern/core";
import { apiKeyAuthentication } from "../authentication/api-key-authentication.ts";
import { passwordManagerRoutes } from "../password-managers/routes.ts";
import { failureInWords } from "../problems/failure-response.ts";
import { routesOf } from "../routes/routes.ts";
import type { Access } from "./access.ts";

/**
 * Programs with keys. Any page may read responses, because a key is no cookie: no browser sends it by itself. Routes that no program may use
 * say so; those that people use without a token are missing.
 */
export const keyAccess = (
  postern: AnyPostern & Required<Pick<AnyPostern, "authenticateApiKey">>,
): Access => ({
  authenticate: apiKeyAuthentication(postern),
  routes: [
    ...routesOf(postern).filter(({ open = false, scope }) => !open || scope !== undefined),
    ...passwordManagerRoutes(postern),
  ],
  corsOrigins: "any",
  writeFailure: failureInWords,
});
