/** An app client at an identity provider, and how to reach it. */
export type SignInClient = {
  /**
   * The provider's issuer, to the letter, as in `POSTERN_ISSUER`. For Cognito `https://cognito-idp.REGION.amazonaws.com/POOL_ID`, even if
   * the pool has a domain of its own. Must be HTTPS, unless it is on this machine.
   */
  readonly issuer: string;
  /** The id of a public app client, one without a secret. */
  readonly clientId: string;
  /** How long a function may take, with all of its requests, in milliseconds; 15,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests; the platform's `fetch` by default. Must obey the signal that it is given. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The time in epoch milliseconds; `Date` by default. It need not be right: only differences count. */
  readonly clock?: { now(): number } | undefined;
};

export type CallOptions = {
  /** Ends the call with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
};
