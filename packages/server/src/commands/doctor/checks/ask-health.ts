import { systemCode } from "../../../system-code.ts";

const TIMEOUT_MS = 4_000;

/** More than any response of Postern to this request, in bytes. */
const MAX_LENGTH = 1_000;

/**
 * What responds to `GET /health` at a URL: a healthy Postern; a Postern that reports a failing store (indistinguishable from
 * any other 503); something else; or nothing, for this reason.
 */
export type Health =
  | { readonly kind: "healthy" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "other"; readonly status: number }
  | { readonly kind: "none"; readonly reason: string };

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return `no response within ${TIMEOUT_MS / 1000} seconds`;
  return systemCode(error.cause instanceof Error ? error.cause : error);
};

const isHealthy = async ({ status, body }: Response): Promise<boolean> => {
  if (status !== 200) return false;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Returning cancels the download.
    if (length > MAX_LENGTH) return false;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString() === '{"status":"ok"}';
};

/** Asks the Postern whose API is at this URL whether it is healthy. Takes at most 4 seconds. */
export const askHealth = async (url: string): Promise<Health> => {
  try {
    const response = await fetch(`${url.replace(/\/$/, "")}/health`, {
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (await isHealthy(response)) return { kind: "healthy" };
    const { status } = response;
    if (!response.bodyUsed) await response.body?.cancel();
    return status === 503 ? { kind: "unavailable" } : { kind: "other", status };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error) };
  }
};
