import { ClientError, createClient, type ThrowingClient, throwing } from "@postern/client";
import { effect } from "@preact/signals";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/preact-query";
import { hasEnded, idToken, whenForgotten } from "../session/session.ts";

declare module "@tanstack/preact-query" {
  interface Register {
    defaultError: ClientError;
  }
}

/** The API. Each function resolves to a success or rejects with a `ClientError`. Nothing is called before `connect`. */
export let api: ThrowingClient;

export const connect = (baseUrl: string): void => {
  // A person sees what failed and decides whether to try again. Reads are repeated below.
  api = throwing(createClient({ baseUrl, token: idToken, attempts: 1 }));
};

/** The sign-in cannot be renewed, or the API refuses a token that was. Not so if the provider was only unreachable. */
export const noticeEnd = (error: unknown): void => {
  if (!(error instanceof ClientError) || error.problem.code !== "unauthorized") return;
  const { cause } = error.problem;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null;
  if (code !== "unreachable" && code !== "too_many_attempts") hasEnded.value = true;
};

/** In seconds: nobody waits longer without being told. */
const LONGEST_PAUSE = 5;

const isPassing = ({ problem, retryAfter }: ClientError): boolean =>
  (problem.code === "unavailable" ||
    problem.code === "rate_limited" ||
    (problem.code === "unreachable" && problem.reason === "network")) &&
  (retryAfter ?? 0) <= LONGEST_PAUSE;

/** What was read from the API, by keys that begin with the name of what it is, such as `["aliases"]`. */
export const reads = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      // Whether there is a connection is for the request to find out: browsers are wrong about it.
      networkMode: "always",
      staleTime: 5_000,
      retry: (count, error) => count < 2 && error instanceof ClientError && isPassing(error),
      retryDelay: (count, { retryAfter }) => 1_000 * (retryAfter ?? 2 ** count / 2),
    },
    mutations: { networkMode: "always" },
  },
});

whenForgotten(() => reads.clear());

/** What could not be read because the session had ended is read when somebody has signed in again. */
effect(() => {
  if (!hasEnded.value) void reads.invalidateQueries();
});
