import { FetchError } from "aws-jwt-verify/error";
import type { Fetcher } from "aws-jwt-verify/https";

/** How long the issuer may take to answer, in milliseconds. */
const PATIENCE = 3000;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Keys that anybody on the way could change would let anybody sign tokens. Throws unless they come by https or from this machine. */
export const assertJwksUri = (uri: string): void => {
  const { protocol, hostname } = new URL(uri);
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return;
  throw new Error("The JWKS must be fetched by https, or by http on loopback");
};

/** In place of aws-jwt-verify's own, which knows no http at all. Follows no redirect: it might lead off https. */
export const jwksFetcher: Fetcher = {
  fetch: async (uri) => {
    try {
      const response = await fetch(uri, { redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
      if (!response.ok) throw new Error(`The issuer answered ${response.status}`);
      return await response.arrayBuffer();
    } catch (error) {
      throw new FetchError(uri, error);
    }
  },
};
