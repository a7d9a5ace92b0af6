/** The instant as Java's `Date.toString` writes it in UTC, such as `Wed May 18 12:31:07 UTC 2022`. */
const javaText = (seconds: number): string =>
  new Date(seconds * 1000).toUTCString().replace(/^(.+), (.+) (.+) (.+) (.+) GMT$/, "$1 $3 $2 $5 UTC $4");

/**
 * Whether a gateway has passed on this time of a token, in seconds: an HTTP API of API Gateway writes it in digits, and a REST API as text.
 * No other form of it is accepted.
 */
export const isPassedTime = (passed: unknown, seconds: number): boolean =>
  passed === seconds || passed === String(seconds) || passed === javaText(seconds);
