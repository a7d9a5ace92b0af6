import { createHash } from "node:crypto";
import type { Language, Service } from "@postern/core/words";
import { htmlEscape } from "escape-goat";
import { logoUrl } from "./logo.ts";
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
.name, .note, footer { color: var(--quiet); font-size: 0.9375rem; }
.name { font-weight: 600; }
.logo { display: block; max-width: 100%; max-height: 4rem; margin-bottom: 0.75rem; }
footer { max-width: 30rem; margin: 1rem auto 0; text-align: center; }
footer a { display: inline-block; padding: 0.625rem min(1.25rem, 4vw); color: inherit; }
p + .note { margin-top: 1rem; }
.note a { display: inline-block; padding: 0.625rem 0; color: inherit; }
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
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
`;

const STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** The Content-Security-Policy of these pages: no scripts, no external resources, no frames around them. */
const policy = (hasLogo: boolean): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    // The logo is part of the page.
    ...(hasLogo ? ["img-src data:"] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");

/** What is shown of a URL. */
const shown = (url: string): string => url.replace(/^https?:\/\//i, "").replace(/^([^/?#]+)\/$/, "$1");

/** A heading and what is below it, as HTML. */
export type Content = { readonly title: string; readonly body: string };

export const text = (words: string): string => htmlEscape`<p>${words}</p>`;
export const note = (words: string): string => htmlEscape`<p class="note">${words}</p>`;

/** Makes the pages of a service, from what one says. */
export type Pages<Said = Content> = (
  status: number,
  said: Said,
  language: Language,
  headers?: ApiResponse["headers"],
) => ApiResponse;

/**
 * @param logo a valid image; undefined for none
 * @returns a response with the page in this language. Its content type, policy and language take precedence over `headers`.
 */
export const pages = ({ name, url }: Service, logo: Uint8Array | undefined): Pages => {
  const source = logo === undefined ? null : logoUrl(logo).unwrapOr(null);
  // The name is beside it, so a screen reader need not mention it.
  const image = source === null ? "" : htmlEscape`<img class="logo" src="${source}" alt="">`;
  const website = url === undefined ? "" : htmlEscape`<footer><a href="${url}">${shown(url)}</a></footer>\n`;
  const pagePolicy = policy(source !== null);

  return (status, { title, body }, language, headers = {}) => ({
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-language": language,
      "content-security-policy": pagePolicy,
    },
    body: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${htmlEscape`<title>${title} – ${name}</title>`}
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="name">${image}${htmlEscape(name)}</p>
${htmlEscape`<h1>${title}</h1>`}
${body}
</main>
${website}</body>
</html>
`,
  });
};
