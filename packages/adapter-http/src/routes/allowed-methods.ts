import { METHODS } from "./route.ts";
import { PREFIXES, ROUTES } from "./routes.ts";

const PATHS = [...Map.groupBy(ROUTES, ({ path }) => path)].map(([path, routes]) => ({
  pattern: new RegExp(`^(?:${PREFIXES.join("|")})${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  methods: new Set<string>(routes.map(({ method }) => method)),
}));

/** The methods that routes support at a path, which is relative to where the API is mounted; none if there is no route. */
export const allowedMethods = (path: string): readonly string[] => {
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
  return METHODS.filter((method) => methods.includes(method === "HEAD" ? "GET" : method));
};
