/** Headers that describe a connection, not a response. What passes a response on leaves them out. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
]);
