import type { Failure, Problem, Unauthorized, Unreachable } from "./operations.ts";

const DETAILS: Readonly<Record<Unreachable["reason"], string>> = {
  network: "There was no connection to the API, or it was lost. Check the network and try again.",
  timeout: "The API did not answer in time. Try again later.",
  aborted: "The call was aborted by its signal.",
  redirect:
    "The address of the API answers with a redirect, which is not followed because the token would follow too. Use the address that it leads to.",
  not_the_api:
    "Something other than the API answered, such as a proxy. Check the address of the API, and what is in front of it.",
};

export const unreachable = (
  reason: Unreachable["reason"],
  status: number | null,
  cause?: unknown,
): Unreachable => ({
  code: "unreachable",
  reason,
  status,
  title: "Unreachable",
  detail: DETAILS[reason],
  ...(cause !== undefined && { cause }),
});

/** @param detail what the API says about it, which it does about keys; it says nothing about ID tokens */
export const unauthorized = (
  cause?: unknown,
  detail = "There is no token, or the API refuses it. Sign in again.",
): Unauthorized => ({
  code: "unauthorized",
  status: 401,
  title: "Unauthorized",
  detail,
  ...(cause !== undefined && { cause }),
});

/** In the form in which the API refuses what can be sent to it. */
export const invalidRequest = (instance: string, parameter: string, reason: string): Problem => ({
  type: "urn:postern:problem:invalid_request",
  title: "Invalid request",
  status: 400,
  detail: "The request is not valid. Correct what `errors` lists and send it again.",
  instance,
  code: "invalid_request",
  errors: [{ parameter, reason }],
});

/** A failure that no answer of the API tells. */
export const failure = (problem: Problem): Failure<Problem> => ({
  ok: false,
  problem,
  requestId: null,
  retryAfter: null,
});
