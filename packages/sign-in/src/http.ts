import type { CallOptions, SignInClient } from "./client.ts";
import { type Json, parseObject } from "./json.ts";
import { type Refusal, refused } from "./refusal.ts";

/** A complete response that is no redirect. */
export type Answer = {
  readonly type: "answer";
  readonly status: number;
  /** Null if it is no JSON object. */
  readonly body: Json | null;
};

/** Sends a request: GET, or POST if it has a body. Never rejects. */
export type Send = (
  url: string,
  request?: { readonly headers?: Record<string, string>; readonly body: string | URLSearchParams },
) => Promise<Answer | Refusal>;

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 ** 2;

/** The whole body; null if it is too long. */
const readBody = async (response: Response): Promise<string | null> => {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_BYTES) {
      reader.cancel().catch(() => {});
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
  return text;
};

/** For the requests of one call, which share its deadline and its signal. */
export const sender = (client: SignInClient, { signal }: CallOptions): Send => {
  const deadline = AbortSignal.timeout(client.timeoutMs ?? TIMEOUT_MS);
  const ends = AbortSignal.any(signal === undefined ? [deadline] : [signal, deadline]);
  // Called without an object: browsers refuse a `fetch` that is not called on the window.
  const send = client.fetch ?? fetch;

  return async (url, request) => {
    try {
      const response = await send(url, {
        ...(request !== undefined && { ...request, method: "POST" }),
        redirect: "manual",
        credentials: "omit",
        signal: ends,
      });
      const { status } = response;
      const text = await readBody(response);
      if (text === null) return refused("unreachable", "responded with more than 1 MiB");
      // 0 is how a browser shows a redirect.
      if (status < 200 || (status >= 300 && status < 400))
        return refused("unreachable", "responded with a redirect");
      return { type: "answer", status, body: parseObject(text) };
    } catch {
      if (signal?.aborted) return refused("aborted", "aborted by the caller");
      return refused("unreachable", deadline.aborted ? "did not respond in time" : "could not connect");
    }
  };
};

/** A response that says neither what was asked for nor, in the protocol's words, why not. */
export const unexpected = ({ status }: Answer): Refusal =>
  status === 429
    ? refused("too_many_attempts", "responded 429")
    : refused("unreachable", `responded ${status}`);

/** The name of an error that a provider has sent; empty if it is none. So no text of others reaches a log. */
export const errorName = (text: string): string => (/^\w{1,80}$/.test(text) ? text : "");

/** Whether what is sent to this address is encrypted, or does not leave this machine. */
export const isConfidential = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === "https:" || (protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  );
};
