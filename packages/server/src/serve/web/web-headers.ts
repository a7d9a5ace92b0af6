import type { WebApp } from "../../configuration/web-app.ts";

/** What the page may load and do: only its own files, and calls of the API and the identity provider. */
export const contentSecurityPolicy = (calls: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${calls.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

/** On every response of the app's listener. The files in deploy/nginx and deploy/cloudfront send the same. */
export const webHeaders = ({ calls }: Pick<WebApp, "calls">): Readonly<Record<string, string>> => ({
  "content-security-policy": contentSecurityPolicy(calls),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
});
