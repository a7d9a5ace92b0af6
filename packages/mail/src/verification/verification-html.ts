import type { Language, Service, Words } from "@postern/core/words";
import { htmlEscape } from "escape-goat";

/** What the message is about, and in which language. */
export type Slots = {
  readonly service: Service;
  readonly language: Language;
  readonly link: string;
  /** For how many hours the link works. */
  readonly hours: number;
};

/** Only the button has its own colors: everything else follows the light or dark scheme of the mail program. */
export const verificationHtml = (
  words: Words["message"],
  { service: { name, url }, language, link, hours }: Slots,
): string => {
  const website = url === undefined ? "" : htmlEscape`<p>${name}<br><a href="${url}">${url}</a></p>\n`;
  return `${htmlEscape`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${words.subject(name)}</title>
</head>
<body style="margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere">
<div style="max-width: 36em; margin: 0 auto">
<p>${words.request(name)}</p>
<p style="margin: 24px 0"><a href="${link}" style="display: inline-block; padding: 10px 20px; border-radius: 6px; background: #2563eb; color: #ffffff; font-weight: 600; text-decoration: none">${words.button}</a></p>
<p>${words.noButton}<br><a href="${link}" style="word-break: break-all">${link}</a></p>
<p>${words.lifetime(hours)}</p>
<p>${words.ignored}</p>
<p>${words.neverAgain}</p>
`}${website}</div>
</body>
</html>
`;
};
