import {
  beginCodeFlow,
  finishCodeFlow,
  type PendingCodeFlow,
  type Refusal,
  type SignInClient,
} from "@postern/sign-in";
import { putDrafts, takeDrafts } from "../drafts.ts";
import { begin } from "./session.ts";

/** Where the provider sends people back to. */
export const CALLBACK = "/signed-in";

const KEY = "signing-in";

/** What is kept while the person is at the provider's page. */
type Left = {
  readonly pending: PendingCodeFlow;
  readonly wayBack: string;
  readonly drafts: ReturnType<typeof takeDrafts>;
};

/** Many providers give a refresh token only for `offline_access`; Cognito refuses a scope that it does not know. */
const scopeAt = async ({ issuer }: SignInClient): Promise<string> => {
  try {
    const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(15_000),
    });
    const { scopes_supported }: { scopes_supported?: unknown } = await response.json();
    const offers = (scope: string) => Array.isArray(scopes_supported) && scopes_supported.includes(scope);
    return ["openid", ...["email", "offline_access"].filter(offers)].join(" ");
  } catch {
    // What is wrong is found once more when the sign-in begins.
    return "openid";
  }
};

/** Leaves for the provider's page. Resolves only if that is not possible. */
export const leave = async (client: SignInClient): Promise<Refusal> => {
  const begun = await beginCodeFlow(client, {
    redirectUri: location.origin + CALLBACK,
    scope: await scopeAt(client),
  });
  if (begun.type === "refused") return begun;
  const here = location.pathname + location.search;
  const left: Left = {
    pending: begun.pending,
    wayBack: location.pathname === CALLBACK ? "/" : here,
    drafts: takeDrafts(),
  };
  sessionStorage.setItem(KEY, JSON.stringify(left));
  location.assign(begun.url);
  return new Promise(() => {});
};

/** Back from the provider's page: signs in, and says where the person was before. */
export const arrive = async (
  client: SignInClient,
): Promise<{ readonly wayBack: string; readonly refusal: Refusal | null }> => {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  // The page was loaded again, or somebody else's link led here.
  if (kept === null) return { wayBack: "/", refusal: null };
  // Only `leave` writes it.
  const { pending, wayBack, drafts } = JSON.parse(kept) as Left;
  const finished = await finishCodeFlow(client, pending, location.href);
  putDrafts(drafts);
  if (finished.type === "refused") return { wayBack, refusal: finished };
  begin(finished.tokens);
  return { wayBack, refusal: null };
};
