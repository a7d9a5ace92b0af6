/** On every response, even to input that cannot be read as a request. */
export const DEFAULT_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
