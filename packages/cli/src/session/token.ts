import type { Tokens } from "@postern/sign-in";
import { Stop } from "../stop.ts";
import { refusalStop } from "./refusals.ts";
import { readSession, type Session, withLock, writeSession } from "./session-file.ts";

/** Tokens are renewed this long before they expire, in milliseconds, so that they do not expire on the way. */
const EARLY_MS = 30_000;

const isFresh = ({ expiresAt }: Tokens): boolean => expiresAt - Date.now() > EARLY_MS;

/**
 * Renews the tokens of a session, unless another process has done so since they were read. Only one process does it at a time.
 *
 * @param isGood whether tokens can be used as they are
 * @throws Stop if they cannot be renewed
 */
const renewed = (session: Session, isGood: (tokens: Tokens) => boolean): Promise<Tokens> =>
  withLock(async () => {
    const stored = await readSession();
    if (stored === null || stored.tokens === null || stored.url !== session.url) {
      throw new Stop("signIn", "signed_out: The session has ended. Run `postern login`.");
    }
    if (isGood(stored.tokens)) return stored.tokens;
    const { refresh } = await import("@postern/sign-in");
    const { issuer, clientId } = stored;
    const answer = await refresh({ issuer, clientId }, stored.tokens);
    if (answer.type === "refused") throw refusalStop(answer);
    await writeSession({ ...stored, tokens: answer.tokens });
    return answer.tokens;
  });

/** What the client asks for the token of each request. */
export const tokenOf = (session: Session, initial: Tokens) => {
  let tokens = initial;
  return async ({ renew }: { readonly renew: boolean }): Promise<string> => {
    const refused = tokens.idToken;
    if (renew) tokens = await renewed(session, ({ idToken }) => idToken !== refused);
    else if (!isFresh(tokens)) tokens = await renewed(session, isFresh);
    return tokens.idToken;
  };
};
