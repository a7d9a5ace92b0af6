import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";

const applyHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // Which other services run on subdomains is not for this one to decide.
  strictTransportSecurity: { includeSubDomains: false },
});

/**
 * Headers that limit what a browser will do with a response loaded by another site. A page replaces the policy with its
 * own.
 */
export const setSecurityHeaders = (request: IncomingMessage, response: ServerResponse): void =>
  applyHeaders(request, response, () => {});
