import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { Failure } from "../../problems/failure.ts";
import { PROBLEMS, sendProblem } from "../../problems/problem.ts";
import { readParameters } from "../../requests/input.ts";
import { confirmPage, failurePage, PAGE_POLICY, verifiedPage } from "../../responses/verify-page.ts";
import type { Route } from "../route.ts";

// Not strict: mail programs and link trackers append parameters of their own to links.
const Query = z.object({
  token: z
    .string()
    .min(1, "must not be empty")
    .max(512, "must be at most 512 characters")
    .describe("From the link in the message"),
  confirm: z.literal("true", "must be true").optional().describe("Verifies; without it nothing changes"),
});

const Answer = z.union([
  z.strictObject({
    verified: z.literal(false),
    confirm_url: z.string().describe("The path that verifies, to be asked with GET"),
  }),
  z.strictObject({ verified: z.literal(true) }),
]);

const asksForPage = (accept = ""): boolean =>
  /\btext\/html\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);

const sendPage = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .header("content-security-policy", PAGE_POLICY)
    .send(page);

/**
 * Where the link in a verification message leads (specification, section 4). Opening it changes nothing, since
 * mail scanners and previews open links; only `confirm=true`, which the page's button sends, verifies.
 * The address is not told: who holds the link need not be who owns the mailbox.
 */
export const verifyRecipientRoute: Route = {
  method: "GET",
  path: "/recipients/verify",
  open: true,
  operationId: "verifyRecipient",
  summary: "Verify a recipient by the link sent to it",
  description:
    "Without `confirm=true` nothing changes: a browser gets a page with one button, any other client the path that " +
    "verifies. Doing it again succeeds.",
  query: Query,
  success: {
    status: 200,
    description: "Whether the recipient is verified now; a page when text/html is asked for",
    name: "Verification",
    schema: Answer,
  },
  page: true,
  problems: ["invalid_request", "link_invalid", "unavailable"],
  handler:
    ({ useCases, prefix }) =>
    async (request, reply) => {
      const html = asksForPage(request.headers.accept);
      reply.header("vary", "Accept, Origin");
      const fail = (failure: Failure) => {
        if (!html) return sendProblem(reply, failure);
        if (failure.code === "unavailable") reply.header("retry-after", "1");
        return sendPage(reply, PROBLEMS[failure.code].status, failurePage(failure.code));
      };

      const query = readParameters(Query, request.query);
      if (query.isErr()) return fail(query.error);
      const { token, confirm } = query.value;
      // HEAD reaches this handler too, and is never meant to change anything.
      if (confirm === undefined || request.method === "HEAD") {
        const confirmUrl = `${prefix}/recipients/verify?${new URLSearchParams({ token, confirm: "true" })}`;
        return html
          ? sendPage(reply, 200, confirmPage(token))
          : reply.send({ verified: false, confirm_url: confirmUrl });
      }

      const verified = await useCases.verifyRecipient({ token });
      if (verified.isErr()) return fail(verified.error);
      return html ? sendPage(reply, 200, verifiedPage()) : reply.send({ verified: true });
    },
};
