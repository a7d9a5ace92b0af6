import { err, MAX_TOKEN_LENGTH, ok, type Result } from "@postern/core";
import type { FastifyRequest } from "fastify";
import { object } from "../../openapi/schema.ts";
import type { Failure } from "../../problems/failure.ts";
import { failureResponse } from "../../problems/failure-response.ts";
import { invalidField } from "../../problems/invalid-field.ts";
import { stateOf } from "../../request-state.ts";
import { inputReader } from "../../requests/input-reader.ts";
import { preferredLanguage } from "../../requests/preferred-language.ts";
import { isPrefetch, PREFETCH_HEADERS } from "../../requests/prefetch.ts";
import { query, required } from "../../requests/source.ts";
import { wantsPage } from "../../requests/wants-page.ts";
import { type ApiResponse, jsonResponse, type Outcome } from "../../responses/response.ts";
import type { Route, RouteDescription } from "../route.ts";

/** A parameter that is either absent or `true`. */
const flag = (name: string, description: string) =>
  query(name, { type: "string", const: "true", description }, (sent) =>
    sent === "true" ? ok(true) : err("must be true"),
  );

const DESCRIPTION: RouteDescription = {
  method: "GET",
  path: "/recipients/verify",
  open: true,
  operationId: "verifyRecipient",
  tag: "Recipients",
  summary: "Verify a recipient with the link sent to it, or stop messages to its mailbox",
  description:
    "Without `confirm` or `suppress` nothing changes: a browser gets a page with a button for each, in its " +
    "language if it is English or German (`Accept-Language`), any other client the path of each. Idempotent. A prefetch " +
    "(`Sec-Purpose: prefetch`) with either is refused as an invalid request.",
  input: {
    token: required(
      query("token", {
        type: "string",
        minLength: 1,
        maxLength: MAX_TOKEN_LENGTH,
        description: "From the link in the message",
        examples: ["token-000003"],
      }),
    ),
    confirm: flag("confirm", "Verifies the recipient"),
    suppress: flag(
      "suppress",
      "Stops verification messages to the mailbox for good, whichever account requests them; also works with expired " +
        "and superseded links. Cannot be combined with `confirm`",
    ),
  },
  // Mail clients and link trackers append parameters to links.
  ignoresUnknownParameters: true,
  success: {
    status: 200,
    description: "What was done, or can be done; a page if text/html is requested",
    name: "Verification",
    schema: {
      anyOf: [
        object({
          verified: { type: "boolean", const: false },
          confirm_url: {
            type: "string",
            description: "The path that verifies, to be requested with GET",
            examples: ["/v1/recipients/verify?token=token-000003&confirm=true"],
          },
          suppress_url: {
            type: "string",
            description: "The path that stops messages to the mailbox, to be requested with GET",
            examples: ["/v1/recipients/verify?token=token-000003&suppress=true"],
          },
        }),
        object({ verified: { type: "boolean", const: true } }),
        object({ suppressed: { type: "boolean", const: true } }),
      ],
    },
  },
  page: true,
  problems: ["invalid_request", "link_invalid", "unavailable"],
};

const NOT_BOTH = invalidField({ parameter: "suppress" }, "cannot be combined with confirm");

/** Any status but 2xx makes a browser discard what it prefetched, and send the request again if its user follows the link. */
const PREFETCHED = invalidField(
  { parameter: "Sec-Purpose" },
  "must not be prefetch with confirm or suppress",
);

const VARY = ["Accept", "Accept-Language", "Origin", ...PREFETCH_HEADERS].join(", ");

/** The outcome of following the link; `token` is the link's. */
type Followed =
  | { readonly done: "nothing"; readonly token: string }
  | { readonly done: "verified" | "suppressed" };

/** Why following the link failed; `token` is null unless the link may still suppress the mailbox. */
type Refusal = { readonly failure: Failure; readonly token: string | null };

const json = (followed: Followed, linkBase: string): object => {
  if (followed.done !== "nothing") return { [followed.done]: true };
  const path = (action: string) =>
    `${linkBase}/recipients/verify?${new URLSearchParams({ token: followed.token, [action]: "true" })}`;
  return { verified: false, confirm_url: path("confirm"), suppress_url: path("suppress") };
};

/**
 * Where the link in a verification message leads. Opening it changes nothing, because mail
 * scanners and previews open links; only the page's buttons do, which send `confirm=true` or `suppress=true`. Does not
 * reveal the address, in case the link has leaked.
 */
export const verifyRecipientRoute: Route = {
  ...DESCRIPTION,
  serve: ({ verifyRecipient, suppressMailbox }) => {
    const readVerification = inputReader(DESCRIPTION, verifyRecipient.parse);
    const readSuppression = inputReader(DESCRIPTION, suppressMailbox.parse);

    const refuse = (failure: Failure, token: string | null = null) => err({ failure, token });

    const follow = async (request: FastifyRequest): Promise<Result<Followed, Refusal>> => {
      const verification = readVerification(request, null);
      if (verification.isErr()) return refuse(verification.error);
      const { confirm, suppress } = verification.value.decoded;
      const token = String(verification.value.decoded["token"]);
      if (confirm === true && suppress === true) return refuse(NOT_BOTH);
      // HEAD is served by this handler too, and must not change anything.
      if ((confirm !== true && suppress !== true) || request.method === "HEAD") {
        return ok({ done: "nothing", token });
      }
      if (isPrefetch(request.headers)) return refuse(PREFETCHED);
      const { timeLeft } = stateOf(request);
      if (suppress === true) {
        const suppression = readSuppression(request, null);
        if (suppression.isErr()) return refuse(suppression.error);
        const suppressed = await suppressMailbox.run(suppression.value.parsed, timeLeft);
        return suppressed.map(() => ({ done: "suppressed" as const })).orElse((failure) => refuse(failure));
      }
      const verified = await verifyRecipient.run(verification.value.parsed, timeLeft);
      return verified.map(() => ({ done: "verified" as const })).orElse((failure) => refuse(failure, token));
    };

    return ({ linkBase, verification: { pages, language } }) =>
      async (request): Promise<Outcome> => {
        const html = wantsPage(request.headers.accept);
        const preferred = preferredLanguage(request.headers["accept-language"], language);
        const response = (await follow(request)).match(
          (followed): ApiResponse =>
            html ? pages(200, followed, preferred) : jsonResponse(200, json(followed, linkBase)),
          ({ failure, token }) => {
            const problem = failureResponse(failure, request);
            const page = { failed: failure.code, token };
            return html ? { ...pages(problem.status, page, preferred, problem.headers), failure } : problem;
          },
        );
        return ok({ ...response, headers: { ...response.headers, vary: VARY } });
      };
  },
};
