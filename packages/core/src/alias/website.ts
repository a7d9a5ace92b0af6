import * as z from "zod";
import { plainText } from "../values/plain-text.ts";

/** The maximum length of a website's host, in UTF-16 code units: that of a domain name. */
const MAX_LENGTH = 253;

/** The maximum length of the text in which the host of a website is looked for, in UTF-16 code units. */
export const MAX_WEBSITE_LENGTH = 2_000;

/** The WHATWG URL parser, which every runtime has. */
declare const URL: { parse(text: string): { readonly hostname: string } | null };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The host of the website that the text names, in lower case: of an address such as `https://Shop.example:8443/cart`, or of what one would
 * type without `https://`. What names none, such as `My shop`, stays as it is, apart from control characters; what is longer than a host can
 * be is none. Never fails: what is passed in comes from programs that made it out of whatever a browser displayed.
 */
export const websiteHost = (text: string): string => {
  const shown = plainText(text.slice(0, MAX_WEBSITE_LENGTH));
  // With the same scheme for all, equal hosts are written in the same way. The parser would skip further slashes.
  const rest = shown.replace(SCHEME, "");
  const url = /^[/\\]/.test(rest) ? null : URL.parse(`https://${rest}`);
  if (url?.hostname.endsWith(".")) return websiteHost(url.hostname.replace(/\.+$/, ""));
  const host = (url?.hostname || shown).toLowerCase();
  return host.length > MAX_LENGTH ? "" : host;
};

export const website = z
  .string()
  .max(MAX_WEBSITE_LENGTH, `must be at most ${MAX_WEBSITE_LENGTH} characters`)
  .transform(websiteHost);
