import { expect } from "vitest";
import * as z from "zod";
import { atEnd } from "./at-end.ts";
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

/** A server with its identity provider and mail server, all real, stopped with the test, or after those of the file. */
export const startService = async (variables: Readonly<Record<string, string>> = {}) => {
  const provider = await startIdentityProvider();
  provider.release();
  atEnd(provider.stop);
  const mailbox = await startMailbox();
  atEnd(mailbox.stop);
  const server = await startServerProcess({
    ...environment,
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    // The mail server's certificate is self-signed.
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
  });
  atEnd(server.stop);

  let people = 0;
  return {
    mailbox,
    /** Stops the server, and returns its complete output. */
    stop: server.stop,
    /** Somebody who has an account, and an address that nobody else has. */
    newPerson: () => {
      people += 1;
      const token = provider.tokenOf(`account-${people}`);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const address = `ada-${people}@example.com`;
      return {
        address,
        addRecipient: async (recipient_email = address) => {
          const body = JSON.stringify({ recipient_email });
          const response = await fetch(`${server.url}/recipients`, { method: "POST", headers, body });
          return { status: response.status, body: z.union([Added, Problem]).parse(await response.json()) };
        },
        recipients: async () =>
          Page.parse(await (await fetch(`${server.url}/recipients`, { headers })).json()).recipients,
        /** What the mail server has received for the address. */
        messages: () => mailbox.messages.filter(({ to }) => to?.some((each) => each.address === address)),
      };
    },
  };
};

/** Somebody with an unverified recipient, and the message that it received. */
export const newPersonWithMessage = async ({
  newPerson,
}: Pick<Awaited<ReturnType<typeof startService>>, "newPerson">) => {
  const person = newPerson();
  const added = await person.addRecipient();
  expect(added).toMatchObject({ status: 201, body: { verified: false, verification_mail: "sent" } });
  const [message, ...others] = person.messages();
  expect(others).toEqual([]);
  const [link] = /^http:\S+$/m.exec(message?.text ?? "") ?? [];
  return {
    ...person,
    /** The HTML part of the message. */
    html: message?.html ?? expect.unreachable("the message has no HTML"),
    link: link ?? expect.unreachable("the message has no link"),
  };
};
