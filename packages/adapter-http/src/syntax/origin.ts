/**
 * Whether a text is an origin as browsers send it: `https://app.example.com` or `http://localhost:5173`, without a path or a
 * trailing slash.
 *
 * @example
 * ```ts
 * isOrigin("https://app.example.com/"); // false
 * ```
 */
export const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.parse(text)?.origin === text;
