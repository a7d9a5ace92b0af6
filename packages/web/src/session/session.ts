import {
  type Refusal,
  type Renewable,
  refresh,
  revoke,
  type SignInClient,
  type Tokens,
} from "@postern/sign-in";
import { batch, signal } from "@preact/signals";
import { forgetDrafts } from "../drafts.ts";
import { navigate } from "../router.ts";

/** Somebody who is signed in. The tokens are in memory only, and those that renew them in this tab's storage. */
export type Session = {
  readonly tokens: Tokens;
  /** The account. */
  readonly sub: string;
  /** What they are called: their address, or another name; their account if the provider says neither. */
  readonly name: string;
};

/** Null if nobody is signed in. */
export const session = signal<Session | null>(null);

/** Whether the session cannot be renewed any more. What was typed stays where it is until the same person signs in again. */
export const hasEnded = signal(false);

/** What other tabs are told. */
type Said =
  | { readonly type: "who?" }
  | { readonly type: "tokens"; readonly tokens: Tokens }
  | { readonly type: "signed out"; readonly sub: string };

const KEY = "session";

/** Tokens this close to their end, in milliseconds, are renewed before they are used. */
const MARGIN = 60_000;

/** How long other tabs have to answer, in milliseconds. */
const ANSWER = 200;

const channel = new BroadcastChannel("postern-session");
const say = (said: Said) => channel.postMessage(said);

let provider: SignInClient = { issuer: "", clientId: "" };

/** Called when the data of the account must go. */
let forgetData = (): void => {};
export const whenForgotten = (forget: () => void): void => {
  forgetData = forget;
};

const claimsOf = (token: string): Readonly<Record<string, unknown>> => {
  const base64 = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const octets = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  // A cast, because this is where it is parsed: the claims of an ID token are an object, and `@postern/sign-in` has read them.
  return JSON.parse(new TextDecoder().decode(octets)) as Readonly<Record<string, unknown>>;
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const sessionOf = (tokens: Tokens): Session => {
  const { sub, email, preferred_username, name } = claimsOf(tokens.idToken);
  const called = [email, preferred_username, name, sub].find(isText);
  return { tokens, sub: isText(sub) ? sub : "", name: called ?? "" };
};

/** Storage can be forbidden: the session then lasts until the page is closed. */
const stored = {
  get: (): Renewable | null => {
    try {
      // Only this file writes it.
      return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Renewable | null;
    } catch {
      return null;
    }
  },
  set: (tokens: Renewable | null): void => {
    try {
      if (tokens === null) sessionStorage.removeItem(KEY);
      else {
        const { refreshToken, from } = tokens;
        sessionStorage.setItem(KEY, JSON.stringify({ refreshToken, from }));
      }
    } catch {}
  },
};

/** Nobody else sees what somebody has read or typed, nor where they were. */
const forgetPerson = (): void => {
  forgetData();
  forgetDrafts();
  navigate("/", { replace: true });
};

const adopt = (tokens: Tokens): void => {
  const next = sessionOf(tokens);
  stored.set(tokens);
  batch(() => {
    if (session.value !== null && session.value.sub !== next.sub) forgetPerson();
    session.value = next;
    hasEnded.value = false;
  });
};

const forget = (): void =>
  batch(() => {
    stored.set(null);
    forgetPerson();
    session.value = null;
    hasEnded.value = false;
  });

/** Keeps the tokens of somebody who has just signed in. */
export const begin = (tokens: Tokens): void => {
  adopt(tokens);
  say({ type: "tokens", tokens });
};

const isFresh = ({ expiresAt }: Tokens): boolean => expiresAt - Date.now() > MARGIN;

/** Tokens that another tab has; null if none answers. */
const askOthers = (): Promise<Tokens | null> =>
  new Promise((resolve) => {
    const end = (tokens: Tokens | null) => {
      clearTimeout(timer);
      channel.removeEventListener("message", hear);
      resolve(tokens);
    };
    const hear = ({ data }: MessageEvent<Said>) => {
      if (data.type === "tokens") end(data.tokens);
    };
    const timer = setTimeout(() => end(null), ANSWER);
    channel.addEventListener("message", hear);
    say({ type: "who?" });
  });

/** Requests of a browser that lacks the lock (a page without HTTPS) are few enough. */
const alone = async <T>(work: () => Promise<T>): Promise<T> =>
  "locks" in navigator ? navigator.locks.request("postern-renewal", work) : work();

/** Replaces tokens, unless another tab has. A refresh token may be good for one use, so one tab at a time renews. */
const renew = (former: Renewable): Promise<Tokens | Refusal> =>
  alone(async () => {
    const current = session.value?.tokens;
    if (current !== undefined && current.refreshToken !== former.refreshToken) return current;
    const renewed = await refresh(provider, former);
    if (renewed.type === "signedIn") {
      begin(renewed.tokens);
      return renewed.tokens;
    }
    const others = renewed.code === "signed_out" ? await askOthers() : null;
    if (others === null || others.refreshToken === former.refreshToken) return renewed;
    adopt(others);
    return others;
  });

let renewal: Promise<Tokens | Refusal> | null = null;

/**
 * The ID token for a request, renewed in its last minute, or after the API has refused it: once for all requests.
 *
 * @throws Refusal if there is none. Then, unless the provider was merely unreachable, the session has ended.
 */
export const idToken = async ({ renew: isRefused }: { readonly renew: boolean }): Promise<string> => {
  const tokens = session.value?.tokens;
  if (tokens === undefined || hasEnded.value) throw new Error("signed out");
  if (!isRefused && isFresh(tokens)) return tokens.idToken;
  renewal ??= renew(tokens).finally(() => {
    renewal = null;
  });
  const renewed = await renewal;
  if (!("code" in renewed)) return renewed.idToken;
  if (renewed.code !== "unreachable" && renewed.code !== "too_many_attempts") hasEnded.value = true;
  throw renewed;
};

/** Forgets the session here and in the other tabs, and revokes what could renew it. */
export const signOut = async (): Promise<void> => {
  const ended = session.value;
  if (ended === null) return;
  say({ type: "signed out", sub: ended.sub });
  forget();
  await revoke(provider, ended.tokens);
};

/** Continues the session that this tab had before it was loaded, or that another tab has. */
export const resume = async (client: SignInClient): Promise<void> => {
  provider = client;
  channel.addEventListener("message", ({ data }: MessageEvent<Said>) => {
    const mine = session.value;
    if (mine === null) return;
    if (data.type === "who?" && !hasEnded.value) say({ type: "tokens", tokens: mine.tokens });
    if (data.type === "tokens" && sessionOf(data.tokens).sub === mine.sub) adopt(data.tokens);
    if (data.type === "signed out" && data.sub === mine.sub) forget();
  });
  const former = stored.get();
  if (former?.refreshToken) {
    const renewed = await renew(former);
    if ("code" in renewed && renewed.code !== "unreachable") stored.set(null);
    return;
  }
  const others = await askOthers();
  if (others !== null) adopt(others);
};
