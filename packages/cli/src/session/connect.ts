import type { AskForToken, ThrowingClient } from "@postern/client";
import { printable } from "../output/printable.ts";
import { say } from "../output/write.ts";
import { Stop } from "../stop.ts";
import { givenUrl } from "./server-url.ts";
import { readSession, type Session } from "./session-file.ts";
import { tokenOf } from "./token.ts";

/** With which server to speak, and as whom. */
type Access = {
  readonly url: string;
  readonly token: string | AskForToken;
  /** Null if the token is that of `POSTERN_TOKEN`. */
  readonly session: Session | null;
};

const NO_SERVER =
  "No server is known. Sign in with `postern login --url https://…`, or name it with --url or POSTERN_URL.";

/** The address of the server: `--url`, else `POSTERN_URL`, else that of the session. */
export const serverUrl = async (option: string | undefined): Promise<string> => {
  const url = givenUrl(option) ?? (await readSession())?.url;
  if (url === undefined) throw new Stop("usage", NO_SERVER);
  return url;
};

/**
 * @throws Stop if nobody is signed in, or if the session is that of another server: its token is sent nowhere else
 */
export const access = async (option: string | undefined): Promise<Access> => {
  const token = process.env["POSTERN_TOKEN"];
  if (token) return { url: await serverUrl(option), token, session: null };
  const given = givenUrl(option);
  const session = await readSession();
  const url = given ?? session?.url;
  if (url === undefined) throw new Stop("usage", NO_SERVER);
  if (session === null || session.tokens === null) {
    throw new Stop(
      "signIn",
      `signed_out: You are not signed in to ${url}. Run \`postern login\`, or set POSTERN_TOKEN.`,
    );
  }
  if (session.url !== url) {
    throw new Stop(
      "signIn",
      `signed_out: You are signed in to ${session.url}. Run \`postern login --url ${url}\`, or set POSTERN_TOKEN.`,
    );
  }
  return { url, token: tokenOf(session, session.tokens), session };
};

/** Sends a request, and tells the person at the terminal if the server asks to wait: the client then tries again. */
const patiently: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const seconds = response.headers.get("retry-after");
  if (process.stderr.isTTY && (response.status === 429 || response.status === 503) && seconds !== null) {
    say(`The server asks to wait for ${printable(seconds)} seconds.`);
  }
  return response;
};

/** The API, as whoever has this access. Its functions reject with a `ClientError`, which `main.ts` explains. */
export const connectWith = async ({
  url: baseUrl,
  token,
}: Pick<Access, "url" | "token">): Promise<ThrowingClient> => {
  const { createClient, throwing } = await import("@postern/client");
  return throwing(createClient({ baseUrl, token, fetch: patiently }));
};

/** The API, as the person who is signed in. */
export const connect = async ({ url }: { readonly url?: string | undefined }): Promise<ThrowingClient> =>
  connectWith(await access(url));

/** The part of the API that needs no token. */
export const connectAnonymously = async (baseUrl: string): Promise<ThrowingClient> => {
  const { createClient, throwing } = await import("@postern/client");
  return throwing(createClient({ baseUrl, token: "" }));
};
