import { type Cause, err, ok, type Result } from "@postern/core";

const FETCH_TIMEOUT_MS = 3000;

/** Far more than needed: a key takes less than 1 KiB, and an issuer has a handful of them. */
const MAX_BYTES = 256 * 1024;

export const because = (reason: string): Cause => ({ source: "jwks", reason });

/** The response is longer than 256 KiB. */
class TooLong extends Error {}

/** The text of a response. Throws if it is longer than 256 KiB, without reading further. */
const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Throwing cancels the download.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new TooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** The format of the error codes of Node and TLS. Anything else could be text from the response. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Why a fetch failed. `fetch` wraps the errors of the system and of TLS. Never the response's text. */
const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof TooLong) return `longer than ${MAX_BYTES / 1024} KiB`;
  if (thrown instanceof SyntaxError) return "not JSON";
  if (!(thrown instanceof Error)) return "failed";
  if (thrown.name === "TimeoutError") return `no response within ${FETCH_TIMEOUT_MS} ms`;
  const { cause } = thrown;
  if (!(cause instanceof Error)) return "failed";
  const code = "code" in cause ? String(cause.code) : "";
  if (CODE.test(code)) return code;
  return cause.name === "HTTPParserError" ? "not an HTTP response" : "failed";
};

/** A JSON document, with the response that it was in. */
type Fetched = { readonly response: Response; readonly document: unknown };

/** A document of at most 256 KiB. Takes at most 3 seconds. Does not follow redirects, which could lead away from https. */
export const fetchJson = async (uri: string): Promise<Result<Fetched, Cause>> => {
  try {
    const response = await fetch(uri, { redirect: "manual", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return err(because(`HTTP ${response.status}`));
    }
    return ok({ response, document: JSON.parse(await readText(response)) });
  } catch (thrown) {
    return err(because(reasonOf(thrown)));
  }
};
