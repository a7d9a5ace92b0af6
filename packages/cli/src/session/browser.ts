import { spawn } from "node:child_process";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { beginCodeFlow, finishCodeFlow, type SignInClient, type Tokens } from "@postern/sign-in";
import { errorCode } from "../error-code.ts";
import { say } from "../output/write.ts";
import { Stop } from "../stop.ts";
import { refusalStop } from "./refusals.ts";

/** Identity providers are told these callback addresses, so there are few. */
const CALLBACK_PORTS = [8976, 8977, 8978] as const;

const WAIT_MS = 120_000;

const listening = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(port, host, () => resolve(server));
  });

/** Servers at `localhost`: browsers take that for 127.0.0.1 or ::1. */
const listenAt = async (port: number): Promise<readonly Server[]> => {
  const four = await listening(port, "127.0.0.1");
  try {
    return [four, await listening(port, "::1")];
  } catch (error) {
    // There is no IPv6 on this machine.
    if (errorCode(error) === "EADDRNOTAVAIL" || errorCode(error) === "EAFNOSUPPORT") return [four];
    four.close();
    throw error;
  }
};

const listen = async (): Promise<{ readonly port: number; readonly servers: readonly Server[] }> => {
  for (const port of CALLBACK_PORTS) {
    try {
      return { port, servers: await listenAt(port) };
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE") throw error;
    }
  }
  throw new Stop(
    "refused",
    `port_taken: The ports ${CALLBACK_PORTS.join(", ")} are all in use, and the identity provider knows no others. Stop what uses one of them.`,
  );
};

const respond = (response: ServerResponse, status: number, text: string): void => {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" })
    .end(`${text}\n`);
};

/** The request with which the provider sends the person back. Others may ask for anything: they are refused, and change nothing. */
const callback = (servers: readonly Server[], state: string): Promise<readonly [string, ServerResponse]> =>
  new Promise((resolve) => {
    for (const server of servers) {
      server.on("request", ({ method, url = "" }, response) => {
        const { pathname, searchParams } = new URL(url, "http://localhost");
        if (pathname !== "/callback") respond(response, 404, "Not found.");
        else if (method !== "GET" || searchParams.get("state") !== state)
          respond(response, 400, "This is not the sign-in that has begun.");
        else resolve([url, response]);
      });
    }
  });

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Shows a page in the person's browser, if there is one. They have been told the address too, so a failure is no matter. */
const openPage = (url: string): void => {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  spawn(command, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
};

/** What to ask for so that the tokens can be renewed: nothing more at an issuer that knows no `offline_access`, as Cognito. */
const usualScope = async (issuer: string): Promise<string> => {
  try {
    const document = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await fetch(document, { redirect: "error", signal: AbortSignal.timeout(15_000) });
    const answer: unknown = await response.json();
    const scopes =
      typeof answer === "object" &&
      answer !== null &&
      "scopes_supported" in answer &&
      answer.scopes_supported;
    return Array.isArray(scopes) && scopes.includes("offline_access") ? "openid offline_access" : "openid";
  } catch {
    // `beginCodeFlow` reads the same document, and says what is wrong with it.
    return "openid";
  }
};

/**
 * Signs somebody in at the page of an identity provider: with a code and PKCE, as RFC 8252 advises programs on a person's machine.
 *
 * @param waitMs how long the person may take
 * @throws Stop if they take longer, or are not let in
 */
export const signInWithBrowser = async (
  client: SignInClient,
  requested: string | null,
  waitMs = WAIT_MS,
): Promise<Tokens> => {
  const { port, servers } = await listen();
  const waiting = new AbortController();
  try {
    const scope = requested ?? (await usualScope(client.issuer));
    const begun = await beginCodeFlow(client, {
      redirectUri: `http://localhost:${port}/callback`,
      scope,
      // Otherwise a provider may ignore it (OpenID Connect Core 1.0, section 11).
      parameters: scope.split(" ").includes("offline_access") ? { prompt: "consent" } : {},
    });
    if (begun.type === "refused") throw refusalStop(begun);
    const returned = callback(servers, begun.pending.state);
    say(`Sign in on this page within ${waitMs / 60_000} minutes:\n\n  ${begun.url}\n`);
    openPage(begun.url);
    const tooLate = setTimeout(waitMs, null, { signal: waiting.signal }).catch(() => null);
    const request = await Promise.race([returned, tooLate]);
    if (request === null)
      throw new Stop("signIn", "expired: Nobody has signed in. Begin again with `postern login`.");
    const [url, response] = request;
    const answer = await finishCodeFlow(client, begun.pending, url);
    if (answer.type === "signedIn") {
      respond(response, 200, "You are signed in. Close this window, and return to the terminal.");
      return answer.tokens;
    }
    respond(response, 400, "You are not signed in. The terminal says why.");
    throw refusalStop(answer);
  } finally {
    waiting.abort();
    for (const server of servers) {
      server.close();
      server.closeIdleConnections();
    }
  }
};
