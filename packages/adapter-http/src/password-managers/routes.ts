import type { AnyPostern } from "@postern/core";
import type { RegisteredRoute } from "../routes/route.ts";
import { addyRoutes } from "./addy/routes.ts";
import { simpleLoginRoutes } from "./simple-login/routes.ts";

/** The calls of other services that password managers make. */
export const passwordManagerRoutes = (postern: AnyPostern): readonly RegisteredRoute[] => [
  ...simpleLoginRoutes(postern),
  ...addyRoutes(postern),
];
