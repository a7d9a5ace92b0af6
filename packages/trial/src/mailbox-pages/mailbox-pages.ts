import { mkdirSync } from "node:fs";
import fastify, { type FastifyError, type FastifyReply } from "fastify";
import * as z from "zod";
import { arrivalOf, type Mailbox, readMailboxes, readMessage, readOctets } from "../mailbox-files.ts";
import { HEADERS, type Page, pageHtml } from "./page.ts";
import {
  allMailboxes,
  draftPage,
  type Listed,
  oneMailbox,
  oneMessage,
  problemPage,
  replyTo,
} from "./pages.ts";
import { Draft, sendMessage } from "./send-message.ts";

/** How many messages of a mailbox are listed. */
const LISTED = 100;

export type MailboxPages = {
  readonly url: string;
  stop(): Promise<void>;
};

const InMailbox = z.object({ address: z.string(), number: z.string().default("") });

const ABSENT = problemPage(404, "There is no such page, or no mail has arrived there yet.");

/**
 * Shows the mailboxes to people, as pages without scripts, on loopback; and lets them send messages.
 *
 * @param directory where the mailboxes are
 * @param mailPort where messages are sent to
 * @param api where links in messages may lead
 */
export const startMailboxPages = async ({
  port,
  directory,
  mailPort,
  api,
}: {
  readonly port: number;
  readonly directory: string;
  readonly mailPort: number;
  readonly api: string;
}): Promise<MailboxPages> => {
  mkdirSync(directory, { recursive: true });
  const app = fastify({
    bodyLimit: 1024 * 1024,
    forceCloseConnections: true,
    // An address has at most 254 characters, each of which can be percent-encoded.
    routerOptions: { maxParamLength: 1000 },
  });
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  const show = (reply: FastifyReply, page: Page) =>
    reply.code(page.status).type("text/html; charset=utf-8").send(pageHtml(page));

  app.addHook("onRequest", async ({ headers, host, hostname, method }, reply) => {
    reply.headers(HEADERS);
    // Any website can have a name that leads to this machine.
    if (hostname !== "127.0.0.1" && hostname !== "localhost") {
      return show(reply, problemPage(403, "This page can be opened only as 127.0.0.1 or localhost."));
    }
    // Nor may other pages of this browser send messages.
    if (method !== "GET" && method !== "HEAD" && headers.origin !== `http://${host}`) {
      return show(reply, problemPage(403, "Only the form on these pages can send messages."));
    }
    return undefined;
  });
  app.setNotFoundHandler((_, reply) => show(reply, ABSENT));
  app.setErrorHandler<FastifyError>(({ statusCode = 500 }, _, reply) =>
    show(
      reply,
      problemPage(
        statusCode,
        statusCode === 413
          ? "The message is too long for this form. Go back, and make it shorter."
          : "Go back, and try again.",
      ),
    ),
  );

  /** Paths are made only of names that are there, never of what was requested. */
  const find = async (params: unknown): Promise<{ mailbox: Mailbox; number: string | null } | null> => {
    const { address, number } = InMailbox.parse(params);
    const mailbox = (await readMailboxes(directory)).find((each) => each.address === address);
    if (mailbox === undefined) return null;
    return { mailbox, number: mailbox.messages.find((each) => each === number) ?? null };
  };

  const showAll = async (reply: FastifyReply, sent: boolean) => {
    const mailboxes = await readMailboxes(directory);
    const summaries = mailboxes.map(async (mailbox) => ({
      mailbox,
      arrivedAt: await arrivalOf(mailbox, mailbox.messages[0]),
    }));
    return show(reply, allMailboxes(await Promise.all(summaries), sent));
  };

  app.get("/", (_, reply) => showAll(reply, false));
  app.get("/sent", (_, reply) => showAll(reply, true));
  app.post("/messages", async ({ body }, reply) => {
    const draft = Draft.parse(body);
    const outcome = await sendMessage(draft, mailPort);
    // The answer to another request, so that reloading the page does not send the message again.
    if (outcome.type === "accepted") return reply.redirect("/sent", 303);
    return show(reply, draftPage(draft, outcome));
  });

  app.get("/mailboxes/:address", async ({ params }, reply) => {
    const found = await find(params);
    if (found === null) return show(reply, ABSENT);
    const { mailbox } = found;
    const newest: Listed[] = [];
    // One after the other: each can be large.
    for (const number of mailbox.messages.slice(0, LISTED)) {
      newest.push({ number, message: await readMessage(mailbox, number) });
    }
    return show(reply, oneMailbox(mailbox, newest));
  });

  /** Serves something about a message, at this path below the message's own. */
  const serve = (
    path: string,
    answer: (reply: FastifyReply, mailbox: Mailbox, number: string) => Promise<FastifyReply>,
  ) =>
    app.get(`/mailboxes/:address/:number${path}`, async ({ params }, reply) => {
      const found = await find(params);
      if (found === null || found.number === null) return show(reply, ABSENT);
      return answer(reply, found.mailbox, found.number);
    });
  serve("", async (reply, mailbox, number) =>
    show(reply, oneMessage(mailbox, number, await readMessage(mailbox, number), api)),
  );
  serve("/reply", async (reply, mailbox, number) =>
    show(reply, draftPage(replyTo(mailbox, await readMessage(mailbox, number)), null)),
  );
  serve("/as-it-arrived", async (reply, mailbox, number) =>
    reply.type("text/plain; charset=utf-8").send(await readOctets(mailbox, number)),
  );

  return { url: await app.listen({ host: "127.0.0.1", port }), stop: () => app.close() };
};
