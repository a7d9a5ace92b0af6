import { PREFIXES, ROUTES } from "../../packages/adapter-http/src/routes/routes.ts";

/** The paths of the routes that need no token, with and without the version. */
export const OPEN_PATHS: readonly string[] = PREFIXES.flatMap((prefix) =>
  ROUTES.filter(({ open }) => open).map(({ path }) => prefix + path),
);

/** The methods of these routes. */
export const OPEN_METHODS = ["GET", "HEAD"] as const;

/** All requests a second that the gateway lets through, and how many at once. */
export const THROTTLE = { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 };
