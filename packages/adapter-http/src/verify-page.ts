import { createHash } from "node:crypto";
import type { ProblemCode } from "./failure.ts";

const STYLE = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 32rem; padding: 2rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
button { font: inherit; min-height: 3rem; padding: 0.5rem 1.5rem; }
`;

/** The Content-Security-Policy of these pages: no scripts, nothing from elsewhere, no frames around them. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;

/** Asks the reader to confirm. The form has no action, so it goes to this page's own path, prefix and all. */
export const confirmPage = (token: string): string =>
  page(
    "Confirm your address",
    `<p>Confirm that mail may be forwarded to this mailbox. If you did not expect this, close the page: nothing happens.</p>
<form method="get">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="confirm" value="true">
<button type="submit">Confirm</button>
</form>`,
  );

export const verifiedPage = (): string =>
  page(
    "Your address is confirmed",
    "<p>Mail can now be forwarded to this mailbox. You can close this page.</p>",
  );

export const failurePage = (code: ProblemCode): string =>
  code === "unavailable"
    ? page("Please try again", "<p>This cannot be done at the moment. Try again in a minute.</p>")
    : page(
        "This link does not work",
        "<p>It may have expired, or a newer one has taken its place. Ask for a new link and open that one.</p>",
      );
