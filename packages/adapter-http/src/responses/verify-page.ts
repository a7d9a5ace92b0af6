import { createHash } from "node:crypto";
import { htmlEscape } from "escape-goat";
import type { ProblemCode } from "../problems/failure.ts";
import type { ApiResponse } from "./response.ts";

/** Colors in pairs, light and dark. All text has a contrast of at least 4.5:1 to its background. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f6; --card: #ffffff; --edge: #d6dae1;
  --ink: #1b212c; --quiet: #4f5866;
  --accent: #1d4ed8; --on-accent: #ffffff; --pressed: #1e3a8a;
  font: 1.0625rem/1.55 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11141a; --card: #1b2029; --edge: #343c49;
    --ink: #e9ecf1; --quiet: #abb4c2;
    --accent: #9db9ff; --on-accent: #0c1a3d; --pressed: #c5d5ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: clamp(1rem, 12vh, 7rem) min(1rem, 4vw) 1rem;
  background: var(--ground); color: var(--ink); overflow-wrap: anywhere; text-wrap: pretty;
}
main {
  max-width: 30rem; margin: 0 auto; padding: min(2.25rem, 6vw);
  background: var(--card); border: 1px solid var(--edge); border-radius: 0.875rem;
}
h1 { margin: 0.5rem 0 0.75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0; }
.name, .note { color: var(--quiet); font-size: 0.9375rem; }
.name { font-weight: 600; }
p + .note { margin-top: 1rem; }
form { margin: 1.5rem 0; }
form:last-child { margin-bottom: 0; }
button {
  width: 100%; min-height: 3rem; padding: 0.625rem min(1.25rem, 4vw);
  border: 2px solid transparent; border-radius: 0.5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover, button:active { background: var(--pressed); }
.quiet { background: none; border-color: var(--edge); color: var(--quiet); font-size: 0.9375rem; }
.quiet:hover, .quiet:active { background: none; border-color: var(--quiet); color: var(--ink); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
`;

/** The Content-Security-Policy of these pages: no scripts, no external resources, no frames around them. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Postern</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="name">Postern</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;

/** A response with one of these pages. Its content type and policy take precedence over `headers`. */
export const pageResponse = (
  status: number,
  body: string,
  headers: ApiResponse["headers"] = {},
): ApiResponse => ({
  status,
  headers: {
    ...headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": PAGE_POLICY,
  },
  body,
});

/** A form with a button that follows the link. It has no action, so it is submitted to the page's own path under any mount path. */
const form = (token: string, action: "confirm" | "suppress", button: string): string => `<form method="get">
<input type="hidden" name="token" value="${htmlEscape(token)}">
<input type="hidden" name="${action}" value="true">
${button}
</form>`;

const suppressForm = (token: string): string =>
  form(token, "suppress", '<button type="submit" class="quiet">Never write to me again</button>');

export const confirmPage = (token: string): string =>
  page(
    "Confirm your address",
    `<p>Someone, probably you, asked Postern to forward mail to the address that received this link.</p>
${form(token, "confirm", '<button type="submit">Confirm this address</button>')}
<p class="note">If it was not you, close this page. Nothing is forwarded to you unless you confirm. You can also stop these messages for good, whoever requests them.</p>
${suppressForm(token)}`,
  );

export const verifiedPage = (): string =>
  page(
    "Your address is confirmed",
    "<p>Mail can now be forwarded to it. There is nothing else to do, so you can close this page.</p>",
  );

export const suppressedPage = (): string =>
  page(
    "You will get no more messages",
    "<p>Postern will never again ask this address for confirmation, whoever requests it. If you have confirmed the address before, mail is still forwarded to it.</p>",
  );

/** @param token of a link that no longer confirms but may still suppress; null if there is none */
export const failurePage = (code: ProblemCode, token: string | null): string => {
  if (code === "unavailable") {
    return page("Please try again", "<p>That could not be done just now. Reload this page in a minute.</p>");
  }
  return token === null
    ? page(
        "This link does not work",
        "<p>It is incomplete, or it is not from Postern. Open the link in the message again.</p>",
      )
    : page(
        "This link does not work",
        `<p>It may have expired, or a newer link has replaced it. Open the link in the most recent message from Postern, or request a new one.</p>
<p class="note">If you never asked for it, you can stop these messages for good, whoever requests them.</p>
${suppressForm(token)}`,
      );
};
