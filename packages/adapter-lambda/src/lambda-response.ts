import { CONNECTION_HEADERS } from "@postern/adapter-http";
import type { Response } from "light-my-request";

/** A response as API Gateway expects it from a function, in the format of the request's event. */
export type LambdaResponse = {
  readonly statusCode: number;
  /** Absent if there is `multiValueHeaders`. */
  readonly headers?: { [name: string]: string };
  readonly multiValueHeaders?: { [name: string]: string[] };
  /** Only in the format 2.0, and only if there are any. */
  readonly cookies?: string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
};

const isText = (type: string | undefined): boolean => /^text\/|[/+]json\b/.test(type ?? "");

/** The response in the format that the gateway expects. */
export const lambdaResponse = (
  { statusCode, headers, rawPayload }: Pick<Response, "statusCode" | "headers" | "rawPayload">,
  { wantsLists }: { readonly wantsLists: boolean },
): LambdaResponse => {
  const lists = Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !CONNECTION_HEADERS.has(name))
    .map(([name, value]) => [name, [value].flat().map(String)] as const);
  const isBase64Encoded = rawPayload.length > 0 && !isText(headers["content-type"]?.toString());
  const content = { body: rawPayload.toString(isBase64Encoded ? "base64" : "utf8"), isBase64Encoded };
  if (wantsLists) return { statusCode, multiValueHeaders: Object.fromEntries(lists), ...content };
  const { "set-cookie": cookies, ...others } = Object.fromEntries(lists);
  const single = Object.entries(others).map(([name, values]) => [name, values.join(", ")]);
  return { statusCode, headers: Object.fromEntries(single), ...(cookies && { cookies }), ...content };
};
