import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";

const applyHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // Subdomains may belong to other services.
  strictTransportSecurity: { includeSubDomains: false },
});

/**
 * Headers that limit what a browser will do with a response loaded by another site. The verification page sets its own
 * Content-Security-Policy.
 */
export const setSecurityHeaders = (request: IncomingMessage, response: ServerResponse): void =>
  applyHeaders(request, response, () => {});
