import * as z from "zod";
import { cut, plainText } from "../values/plain-text.ts";

/** The maximum length of a website's host, in UTF-16 code units: that of a domain name. */
const MAX_LENGTH = 253;

/** The maximum length of the text in which the host of a website is looked for, in UTF-16 code units. */
export const MAX_WEBSITE_LENGTH = 2_000;

/** The WHATWG URL parser, which every runtime has. */
declare const URL: { parse(text: string): { readonly hostname: string } | null };

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The host of the website that the text names, in lower case: of an address such as `https://Shop.example:8443/cart`, or of what one would
 * type without `https://`. What names none, such as `My shop`, stays as it is, apart from what is too long and control characters. Never
 * fails: what is passed in comes from programs that made it out of whatever a browser displayed.
 */
export const websiteHost = (text: string): string => {
  const shown = cut(plainText(text), MAX_WEBSITE_LENGTH);
  const url = URL.parse(HAS_SCHEME.test(shown) ? shown : `https://${shown}`);
  const host = url === null || url.hostname === "" ? shown : url.hostname;
  return cut(plainText(host.toLowerCase()), MAX_LENGTH).replace(/[.\s]+$/, "");
};

export const website = z
  .string()
  .max(MAX_WEBSITE_LENGTH, `must be at most ${MAX_WEBSITE_LENGTH} characters`)
  .transform(websiteHost);
