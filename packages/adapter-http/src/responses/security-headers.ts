import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

/**
 * The headers by which browsers make less of an answer that somebody got them to load. A page brings a policy of its
 * own; answers to paths that cannot be decoded, which no hook sees, have `HEADERS` only.
 */
export const harden = (api: FastifyInstance): void => {
  api.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // What else runs below the same name is not this service's to decide.
    strictTransportSecurity: { includeSubDomains: false },
  });
};
