import { METHODS, type RouteDescription } from "./route.ts";
import { PREFIXES } from "./routes.ts";

/** Finds the methods that routes support at a path, which is relative to where the API is mounted; none if there is no route. */
export const allowedMethods = (
  routes: readonly Pick<RouteDescription, "path" | "method">[],
): ((path: string) => readonly string[]) => {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, routes]) => ({
    pattern: new RegExp(`^(?:${PREFIXES.join("|")})${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: new Set<string>(routes.map(({ method }) => method)),
  }));
  return (path) => {
    const methods = paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
    return METHODS.filter((method) => methods.includes(method === "HEAD" ? "GET" : method));
  };
};
