import { isLoopback } from "./loopback.ts";

/**
 * Whether tokens, keys and data can be sent to a URL: https, or http on loopback, without credentials, query or fragment.
 *
 * @example
 * ```ts
 * isSecureUrl("http://id.example.com"); // false
 * ```
 */
export const isSecureUrl = (text: string): boolean => {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || /[?#\s]/.test(text)) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
};
