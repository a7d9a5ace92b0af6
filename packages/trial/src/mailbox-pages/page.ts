import { createHash } from "node:crypto";
import { htmlEscape } from "escape-goat";

/** Colors in pairs, light and dark. All text has a contrast of at least 4.5:1 to its background. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f4f6, #11141a); --card: light-dark(#ffffff, #1b2029);
  --edge: light-dark(#d6dae1, #343c49); --strong-edge: light-dark(#7b8492, #7d8899);
  --ink: light-dark(#1b212c, #e9ecf1); --quiet: light-dark(#4f5866, #abb4c2);
  --accent: light-dark(#1d4ed8, #9db9ff); --on-accent: light-dark(#ffffff, #0c1a3d);
  font: 1rem/1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 44rem; margin: 0 auto; padding: 1rem min(1rem, 4vw) 4rem; }
h1, h2 { margin: 1rem 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin-top: 2.5rem; font-size: 1.25rem; }
p, dl { margin: 0.5rem 0; }
a { color: var(--accent); }
nav a, .actions a { display: inline-block; padding: 0.625rem 1rem 0.625rem 0; }
.quiet, dt { color: var(--quiet); }
.list, .note, pre { border: 1px solid var(--edge); border-radius: 0.5rem; background: var(--card); }
.note, pre { padding: 1rem; }
.note { border-left: 0.25rem solid var(--accent); }
.list { margin: 1rem 0; padding: 0; list-style: none; }
.list li + li { border-top: 1px solid var(--edge); }
.list a { display: block; padding: 0.75rem 1rem; color: inherit; text-decoration: none; }
.list a:hover strong { text-decoration: underline; }
.list strong, .list span { display: block; }
.list span { color: var(--quiet); font-size: 0.9375rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; }
pre { margin: 1rem 0; font: inherit; white-space: pre-wrap; }
label { display: block; margin: 1rem 0; }
input, textarea, button { border-radius: 0.5rem; font: inherit; }
input, textarea {
  display: block; width: 100%; margin-top: 0.25rem; padding: 0.625rem;
  border: 1px solid var(--strong-edge); background: var(--card); color: inherit;
}
button {
  min-height: 2.75rem; padding: 0.5rem 1.5rem; border: 2px solid transparent;
  background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** On every response. */
export const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  // With no-referrer, browsers would not say that the form is from here.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** A page of the mailboxes. */
export type Page = {
  readonly status: number;
  readonly title: string;
  /** As HTML. */
  readonly body: string;
};

export const pageHtml = ({ title, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${htmlEscape`<title>${title} – Postern trial</title>`}
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
