import type { CallOptions, SignInClient } from "./client.ts";
import { type Json, parseJson, textAt } from "./json.ts";
import { meaningOf } from "./meaning.ts";
import { insist, type Refusal, type RefusalCode, refused } from "./refusal.ts";

/** A complete response that is no redirect. */
export type Answer = {
  readonly status: number;
  readonly body: Json;
};

export type Request = { readonly headers?: Record<string, string>; readonly body: string | URLSearchParams };

/** What the requests of one call share: the client, a deadline, and the caller's signal. */
export type Call = Pick<SignInClient, "issuer" | "clientId"> & {
  /** When it began, in epoch milliseconds of the client's clock. */
  readonly beganAt: number;
  /** GET, or POST if there is a body. Sends nothing that others could read on its way. */
  send(url: string, request?: Request): Promise<Answer>;
};

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 ** 20;

/** Whether what is sent to this address is encrypted, or does not leave this machine. */
export const isConfidential = (url: string): boolean =>
  URL.canParse(url) && /^https:|^http:\/\/(localhost|127[.\d]+|\[::1])(:\d+)?\//.test(new URL(url).href);

const isRefusal = (thrown: unknown): thrown is Refusal => textAt(thrown, "type") === "refused";

/** Does what needs requests. Never rejects: whatever is thrown is a refusal, or was caused by what the provider has sent, or not sent. */
export const calling = async <T>(
  client: SignInClient,
  { signal }: CallOptions,
  work: (call: Call) => Promise<T>,
): Promise<T | Refusal> => {
  const deadline = AbortSignal.timeout(client.timeoutMs ?? TIMEOUT_MS);
  // Called without an object: browsers refuse a `fetch` that is not called on the window.
  const send = client.fetch ?? fetch;
  try {
    return await work({
      ...client,
      beganAt: (client.clock ?? Date).now(),
      send: async (url, request) => {
        insist(isConfidential(url), "misconfigured", "https");
        // Browsers have it only on pages that came over HTTPS.
        insist(crypto.subtle, "not_supported", "crypto");
        const { ok, status, body } = await send(url, {
          ...request,
          method: request ? "POST" : "GET",
          redirect: "manual",
          signal: AbortSignal.any([deadline, signal ?? deadline]),
        });
        const chunks: Uint8Array<ArrayBuffer>[] = [];
        let bytes = 0;
        const keep = (chunk: Uint8Array<ArrayBuffer>) => {
          bytes += chunk.length;
          insist(bytes <= MAX_BYTES, "unreachable", "size");
          chunks.push(chunk);
        };
        await body?.pipeTo(new WritableStream({ write: keep }));
        // Browsers do not show the status of a redirect.
        insist(ok || status >= 400, "unreachable", "redirect");
        return { status, body: parseJson(await new Blob(chunks).text()) };
      },
    });
  } catch (thrown) {
    if (isRefusal(thrown)) return thrown;
    const code = signal?.aborted ? "aborted" : "unreachable";
    return refused(code, deadline.aborted ? "timeout" : "network");
  }
};

/** A response in other words than those of the protocol. */
export const unexpected = ({ status }: Answer): Refusal =>
  refused(status === 429 ? "too_many_attempts" : "unreachable", `status ${status}`);

/**
 * Asks Cognito's API, or an endpoint of OAuth, for something.
 *
 * @param notAuthorized what it means that the provider does not know the user, or does not accept their password, code or token
 * @throws Refusal if it is not given
 */
export const ask = async (
  { send }: Call,
  url: string,
  request: Request,
  notAuthorized: RefusalCode,
): Promise<Answer> => {
  const answer = await send(url, request);
  const { status, body } = answer;
  if (status < 300 && body !== undefined) return answer;
  const name = textAt(body, "__type") || textAt(body, "error");
  throw status < 500 && name ? meaningOf(name, textAt(body, "message"), notAuthorized) : unexpected(answer);
};
