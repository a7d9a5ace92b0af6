/** Supplies an ID token. May throw: then, the call that needed it is `unauthorized`, with what was thrown as the `cause`. */
export type AskForToken = (ask: { readonly renew: boolean }) => string | Promise<string>;

export type Tokens = {
  /** The token for a request. */
  current(): Promise<string>;
  /** The token to use in place of a refused one, the same for all that were refused with it; null if there is no other. */
  renewed(refused: string): Promise<string> | null;
  /** The renewed token was of no use. The next one that is refused is renewed anew. */
  forget(): void;
};

export const tokensOf = (token: string | AskForToken): Tokens => {
  if (typeof token === "string") return { current: async () => token, renewed: () => null, forget: () => {} };
  const ask = async (renew: boolean): Promise<string> => token({ renew });
  let renewal: { readonly of: string; readonly token: Promise<string> } | null = null;
  return {
    current: () => ask(false),
    renewed: (refused) => {
      // Also after it has ended: answers to requests with the old token can arrive late.
      if (renewal?.of === refused) return renewal.token;
      const begun = { of: refused, token: ask(true) };
      renewal = begun;
      begun.token.catch(() => {
        if (renewal === begun) renewal = null;
      });
      return begun.token;
    },
    forget: () => {
      renewal = null;
    },
  };
};
