import type { Tokens } from "@postern/sign-in";
import { askPassword, askText } from "../ask.ts";
import { Stop } from "../stop.ts";
import { type Settings, withLock, writeSession } from "./session-file.ts";

/** How somebody wants to sign in. */
type LoginOptions = {
  readonly browser?: true | undefined;
  readonly username?: string | undefined;
  readonly passwordStdin?: true | undefined;
  readonly resetPassword?: true | undefined;
};

/** An issuer of Amazon Cognito, `…/REGION_…`: it alone lets programs check passwords. */
const isCognito = (issuer: string): boolean =>
  /^https?:\/\/[^/]+\/[a-z]+(-[a-z]+)+-\d+_[0-9A-Za-z]+$/.test(issuer);

const readStandardInput = async (): Promise<string> => {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  return text.replace(/\r?\n$/, "");
};

const tokensFor = async ({ issuer, clientId, scope }: Settings, options: LoginOptions): Promise<Tokens> => {
  const client = { issuer, clientId };
  const { browser, username, passwordStdin, resetPassword } = options;
  const byPassword = isCognito(issuer) || username !== undefined || resetPassword;
  if (browser || !byPassword) {
    const { signInWithBrowser } = await import("./browser.ts");
    return signInWithBrowser(client, scope);
  }
  const passwords = await import("./password.ts");
  const user = username ?? (await askText("User name", "Give --username, and --password-stdin."));
  if (resetPassword)
    return passwords.signInByPassword(client, user, await passwords.resetPassword(client, user));
  const password = passwordStdin
    ? await readStandardInput()
    : await askPassword("Password", "Give --password-stdin.");
  return passwords.signInByPassword(client, user, password);
};

/**
 * Signs somebody in, and stores the session once the server has accepted them.
 *
 * @throws Stop or a `ClientError` if that fails: then what was stored before is still there
 */
export const login = async (settings: Settings, options: LoginOptions): Promise<Tokens> => {
  // If nothing can be stored, they hear of it before they have typed a password.
  await withLock(async () => {});
  const tokens = await tokensFor(settings, options);
  const { ClientError, createClient, throwing } = await import("@postern/client");
  try {
    await throwing(createClient({ baseUrl: settings.url, token: tokens.idToken })).getService();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "unauthorized") throw error;
    throw new Stop(
      "signIn",
      `unauthorized: You can sign in at ${settings.issuer}, but ${settings.url} does not accept its tokens. Compare its POSTERN_ISSUER and POSTERN_AUDIENCE with \`postern config\`. Where it takes keys, nobody can sign in.`,
    );
  }
  await withLock(() => writeSession({ ...settings, tokens }));
  return tokens;
};
