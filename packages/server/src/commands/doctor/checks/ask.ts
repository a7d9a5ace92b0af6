import { err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { systemCode } from "../../../system/system-code.ts";

const TIMEOUT_MS = 4_000;

/** How much of a response is read, in bytes: more than any document has of which all is needed. */
const MAX_LENGTH = 100_000;

export type Answer = { readonly status: number; readonly headers: Headers; readonly beginning: string };

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return `no response within ${TIMEOUT_MS / 1000} seconds`;
  return systemCode(error.cause instanceof Error ? error.cause : error);
};

/** What responds to a GET request to the URL, with these headers, or why nothing does. Takes at most 4 seconds. */
export const ask = async (
  url: string,
  requestHeaders: Readonly<Record<string, string>> = {},
): Promise<Result<Answer, string>> => {
  try {
    const { status, headers, body } = await fetch(url, {
      headers: requestHeaders,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop cancels the download.
      if (length > MAX_LENGTH) break;
    }
    return ok({ status, headers, beginning: Buffer.concat(chunks).toString() });
  } catch (error) {
    return err(reasonOf(error));
  }
};

/** Whether this is a healthy Postern's response to `GET /health`. */
export const isHealthy = ({ status, beginning }: Answer): boolean =>
  status === 200 && beginning === '{"status":"ok"}';

/** Whether these are the metrics of a Postern. */
export const hasMetrics = ({ status, beginning }: Answer): boolean =>
  status === 200 && beginning.includes("# HELP postern_");

/** What a response says in JSON; undefined if it is none. */
export const saidIn = ({ beginning }: Answer): unknown => {
  try {
    return JSON.parse(beginning);
  } catch {
    return undefined;
  }
};

const Settings = z.object({
  api: z.string(),
  issuer: z.string(),
  client: z.string(),
  sign_in: z.array(z.string()),
});

/** The settings of the browser app; null if this is something else. */
export const settingsIn = (answer: Answer): z.output<typeof Settings> | null =>
  (answer.status === 200 && Settings.safeParse(saidIn(answer)).data) || null;

/** Whether this is what the API responds without a token, on every path. */
export const isApi = ({ status, beginning }: Answer): boolean =>
  status === 401 && beginning === '{"message":"Unauthorized"}';

/** Whether this is what Postern responds without a key where it takes keys. */
export const takesKeys = (answer: Answer): boolean => {
  const said = saidIn(answer);
  return (
    answer.status === 401 && typeof said === "object" && said !== null && "code" in said && "error" in said
  );
};
