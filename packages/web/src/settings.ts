import type { SignInClient } from "@postern/sign-in";

/** How people sign in: with their password in this app (SRP, at Cognito), or at the page of the provider. */
type SignInWay = "srp" | "oidc";

/** `settings.json`, beside the app: what tells one deployment from another. */
export type Settings = {
  /** The address of the API, as `@postern/client` wants it. */
  readonly api: string;
  /** The issuer, as in `POSTERN_ISSUER`, and the id of the public app client. */
  readonly provider: SignInClient;
  readonly signIn: readonly [SignInWay, ...SignInWay[]];
};

/** For the operator, in English: what is wrong with `settings.json`. */
export type SettingsFault = { readonly fault: string };

const isWay = (value: unknown): value is SignInWay => value === "srp" || value === "oidc";

const isSafe = (value: unknown): value is string =>
  typeof value === "string" &&
  URL.canParse(value) &&
  (new URL(value).protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(value).hostname));

const parseSettings = (json: unknown): Settings | SettingsFault => {
  if (typeof json !== "object" || json === null) return { fault: "settings.json is not a JSON object." };
  const { api, issuer, client, sign_in }: Record<string, unknown> = { ...json };
  if (!isSafe(api)) return { fault: '"api" in settings.json must be the https:// address of the API.' };
  if (!isSafe(issuer))
    return { fault: '"issuer" in settings.json must be the https:// address of the issuer.' };
  if (typeof client !== "string" || client === "")
    return { fault: '"client" in settings.json must be the id of the app client.' };
  const [first, ...others] = Array.isArray(sign_in) ? sign_in : [];
  if (!isWay(first) || !others.every(isWay))
    return { fault: '"sign_in" in settings.json must be a list of "srp", "oidc" or both.' };
  return { api, provider: { issuer, clientId: client }, signIn: [first, ...others] };
};

export const readSettings = async (): Promise<Settings | SettingsFault> => {
  try {
    const response = await fetch("/settings.json", {
      cache: "no-store",
      signal: AbortSignal.timeout(15_000),
    });
    if (!response.ok) return { fault: `settings.json cannot be loaded: status ${response.status}.` };
    return parseSettings(await response.json());
  } catch (error) {
    return {
      fault: error instanceof SyntaxError ? "settings.json is not JSON." : "settings.json cannot be loaded.",
    };
  }
};
