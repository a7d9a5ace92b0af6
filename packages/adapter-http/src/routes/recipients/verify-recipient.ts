import { err, MAX_TOKEN_LENGTH, ok, type Result } from "@postern/core";
import type { FastifyRequest } from "fastify";
import { object } from "../../openapi/schema.ts";
import type { Failure } from "../../problems/failure.ts";
import { failureResponse } from "../../problems/failure-response.ts";
import { inputReader } from "../../requests/input-reader.ts";
import { query, required } from "../../requests/source.ts";
import { type ApiResponse, jsonResponse, type Outcome } from "../../responses/response.ts";
import { confirmPage, failurePage, pageResponse, verifiedPage } from "../../responses/verify-page.ts";
import type { Route, RouteDescription } from "../route.ts";

const DESCRIPTION: RouteDescription = {
  method: "GET",
  path: "/recipients/verify",
  open: true,
  operationId: "verifyRecipient",
  summary: "Verify a recipient with the link sent to it",
  description:
    "Without `confirm=true` nothing changes: a browser gets a page with one button, any other client the path that " +
    "verifies. Idempotent.",
  input: {
    token: required(
      query("token", {
        type: "string",
        minLength: 1,
        maxLength: MAX_TOKEN_LENGTH,
        description: "From the link in the message",
      }),
    ),
    confirm: query(
      "confirm",
      { type: "string", const: "true", description: "Verifies; without it nothing changes" },
      (sent) => (sent === "true" ? ok(true) : err("must be true")),
    ),
  },
  // Mail clients and link trackers append parameters to links.
  ignoresUnknownParameters: true,
  success: {
    status: 200,
    description: "Whether the recipient is verified now; a page if text/html is requested",
    name: "Verification",
    schema: {
      anyOf: [
        object({
          verified: { type: "boolean", const: false },
          confirm_url: { type: "string", description: "The path that verifies, to be requested with GET" },
        }),
        object({ verified: { type: "boolean", const: true } }),
      ],
    },
  },
  page: true,
  problems: ["invalid_request", "link_invalid", "unavailable"],
};

const wantsPage = (accept = ""): boolean =>
  /\btext\/html\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);

/** What the link leads to; `token` is that of the link. */
type Verification = { readonly verified: false; readonly token: string } | { readonly verified: true };

const page = (verification: Verification): ApiResponse =>
  pageResponse(200, verification.verified ? verifiedPage() : confirmPage(verification.token));

const json = (verification: Verification, linkBase: string): ApiResponse => {
  if (verification.verified) return jsonResponse(200, { verified: true });
  const query = new URLSearchParams({ token: verification.token, confirm: "true" });
  return jsonResponse(200, { verified: false, confirm_url: `${linkBase}/recipients/verify?${query}` });
};

/**
 * Where the link in a verification message leads (specification, section 4). Opening it changes nothing, because mail
 * scanners and previews open links; only `confirm=true`, which the page's button sends, verifies. Does not reveal the
 * address, in case the link has leaked.
 */
export const verifyRecipientRoute: Route = {
  ...DESCRIPTION,
  handler: ({ postern: { verifyRecipient }, linkBase }) => {
    const readInput = inputReader(DESCRIPTION, verifyRecipient.parse);

    const verify = async (request: FastifyRequest): Promise<Result<Verification, Failure>> => {
      const input = readInput(request, null);
      if (input.isErr()) return err(input.error);
      const { token, confirm } = input.value.decoded;
      // HEAD is served by this handler too, and must not change anything.
      if (confirm !== true || request.method === "HEAD") return ok({ verified: false, token: String(token) });
      const verified = await verifyRecipient.run(input.value.parsed);
      return verified.map(() => ({ verified: true }));
    };

    return async (request): Promise<Outcome> => {
      const html = wantsPage(request.headers.accept);
      const response = (await verify(request)).match(
        (verification) => (html ? page(verification) : json(verification, linkBase)),
        (failure) => {
          const problem = failureResponse(failure, request);
          return html ? pageResponse(problem.status, failurePage(failure.code), problem.headers) : problem;
        },
      );
      return ok({ ...response, headers: { ...response.headers, vary: "Accept, Origin" } });
    };
  },
};
