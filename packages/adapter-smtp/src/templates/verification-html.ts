import { htmlEscape } from "escape-goat";
import type { VerificationWords } from "./verification-words.ts";

/** Only the button has its own colors: everything else follows the light or dark scheme of the mail program. */
export const verificationHtml = (
  words: VerificationWords,
  { link, hours }: { readonly link: string; readonly hours: number },
): string => htmlEscape`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${words.subject}</title>
</head>
<body style="margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif">
<div style="max-width: 36em; margin: 0 auto">
<p>${words.request}</p>
<p style="margin: 24px 0"><a href="${link}" style="display: inline-block; padding: 10px 20px; border-radius: 6px; background: #2563eb; color: #ffffff; font-weight: 600; text-decoration: none">${words.button}</a></p>
<p>${words.noButton}<br><a href="${link}" style="word-break: break-all">${link}</a></p>
<p>${words.lifetime({ hours })}</p>
<p>${words.ignored}</p>
<p>${words.neverAgain}</p>
</div>
</body>
</html>
`;
