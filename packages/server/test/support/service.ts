import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { environment } from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startMailbox } from "./mailbox.ts";
import { startServerProcess } from "./server-process.ts";

const Recipient = z.object({
  recipient_id: z.string(),
  recipient_email: z.string(),
  verified: z.boolean(),
  datetime_verified: z.number().nullable(),
});
const Added = Recipient.extend({ verification_mail: z.enum(["sent", "not_sent"]) });
const Problem = z.object({ code: z.string() });
const Page = z.object({ recipients: z.array(Recipient) });

export const ADDRESS = "ada@example.com";

/** A server with its identity provider and mail server, all real, stopped with the test. */
export const startService = async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const mailbox = await startMailbox();
  onTestFinished(mailbox.stop);
  const server = await startServerProcess({
    ...environment,
    POSTERN_ISSUER: provider.issuer,
    // The mail server's certificate is self-signed.
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
  });
  onTestFinished(async () => void (await server.stop()));
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };

  return {
    mailbox,
    /** Stops the server, and returns its complete output. */
    stop: server.stop,
    addRecipient: async (recipient_email: string) => {
      const body = JSON.stringify({ recipient_email });
      const response = await fetch(`${server.url}/recipients`, { method: "POST", headers, body });
      return { status: response.status, body: z.union([Added, Problem]).parse(await response.json()) };
    },
    recipients: async () =>
      Page.parse(await (await fetch(`${server.url}/recipients`, { headers })).json()).recipients,
  };
};

/** A service with one unverified recipient, and the message that it received. */
export const startServiceWithMessage = async () => {
  const service = await startService();
  const added = await service.addRecipient(ADDRESS);
  expect(added).toMatchObject({ status: 201, body: { verified: false, verification_mail: "sent" } });
  const [message, ...others] = service.mailbox.messages;
  expect(others).toEqual([]);
  expect(message?.to).toMatchObject([{ address: ADDRESS }]);
  const [link] = /^http:\S+$/m.exec(message?.text ?? "") ?? [];
  return {
    ...service,
    /** The HTML part of the message. */
    html: message?.html ?? expect.unreachable("the message has no HTML"),
    link: link ?? expect.unreachable("the message has no link"),
  };
};
