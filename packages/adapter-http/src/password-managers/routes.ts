import type { AnyPostern } from "@postern/core";
import type { RegisteredRoute } from "../routes/route.ts";

/** The calls of other services that password managers make. */
export const passwordManagerRoutes = (_postern: AnyPostern): readonly RegisteredRoute[] => [];
