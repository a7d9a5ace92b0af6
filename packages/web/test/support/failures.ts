import type { Page } from "playwright-core";
import type { World } from "./world.ts";

/** What can become of any write: a problem of the API, or nothing at all; and what the app then says. */
export const FAILURES = [
  ["account_suspended", "Your account is suspended"],
  ["too_many_creations", "Try again in"],
  ["unavailable", "The service cannot do this at the moment"],
  ["a cut connection", "There is no connection to the service"],
] as const;

const STATUSES = {
  account_suspended: 403,
  rate_limited: 429,
  too_many_creations: 429,
  unavailable: 503,
} as const;

type FailureName = keyof typeof STATUSES | "a cut connection";

/** A response with a problem, as the API gives it to a page of the app. */
export const problemResponse = (
  { app }: Pick<World, "app">,
  problem: { readonly status: number; readonly code: string },
  headers: Readonly<Record<string, string>> = {},
) => ({
  status: problem.status,
  contentType: "application/problem+json",
  headers: {
    "access-control-allow-origin": app,
    "access-control-expose-headers": "retry-after",
    ...headers,
  },
  body: JSON.stringify({ title: problem.code, detail: "", ...problem }),
});

/**
 * Lets the next request to these addresses fail. Reads do not.
 *
 * @returns how many have failed so far
 */
export const failOnce = async (
  world: Pick<World, "app">,
  page: Page,
  addresses: string,
  failure: FailureName,
): Promise<() => number> => {
  let failed = 0;
  await page.route(addresses, (route) => {
    if (["GET", "OPTIONS"].includes(route.request().method()) || failed > 0) return route.continue();
    failed += 1;
    if (failure === "a cut connection") return route.abort("connectionreset");
    const problem = { status: STATUSES[failure], code: failure };
    return route.fulfill(
      problemResponse(world, problem, problem.status === 429 ? { "retry-after": "7" } : {}),
    );
  });
  return () => failed;
};
