import { DEFAULT_LANGUAGE, DEFAULT_SERVICE } from "@postern/core/words";
import { tokenAuthentication } from "../authentication/identity.ts";
import { failureResponse } from "../problems/failure-response.ts";
import type { ApiOptions } from "../register-api.ts";
import { documentRoute } from "../routes/document.ts";
import { homeRoute } from "../routes/home.ts";
import { routesOf } from "../routes/routes.ts";
import type { Access } from "./access.ts";

/**
 * People, whose tokens the authorizer knows. They may use every route.
 *
 * @param mount.path the path that the API is mounted at
 * @param mount.home whether `GET /` says what this is
 */
export const tokenAccess = (
  {
    postern,
    authorizer,
    corsOrigins = [],
    publicDocument = false,
    service = DEFAULT_SERVICE,
    language = DEFAULT_LANGUAGE,
  }: ApiOptions,
  { path, home }: { readonly path: string; readonly home: boolean },
): Access => ({
  authenticate: tokenAuthentication(authorizer),
  start: (logger) => authorizer.start?.(logger),
  stop: () => authorizer.stop?.(),
  routes: [
    ...routesOf(postern),
    ...(publicDocument ? [documentRoute(postern, path)] : []),
    ...(home ? [homeRoute(service, language, publicDocument)] : []),
  ],
  corsOrigins,
  writeFailure: failureResponse,
});
