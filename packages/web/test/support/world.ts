import { createClient, throwing } from "@postern/client";
import { signInWithPassword } from "@postern/sign-in";
import { freePort } from "@postern/test-support/free-port";
import { until } from "@postern/test-support/until";
import { atEnd } from "../../../server/test/support/at-end.ts";
import { unlimited } from "../../../server/test/support/environment.ts";
import { newMailEnvironment } from "../../../server/test/support/mail-environment.ts";
import { startMailbox } from "../../../server/test/support/mailbox.ts";
import { startServerProcess } from "../../../server/test/support/server-process.ts";
import { openSession } from "../../../server/test/support/smtp-session.ts";
import { startIdentityProvider } from "../../../trial/src/identity-provider/identity-provider.ts";
import { PEOPLE, type Person } from "../../../trial/src/identity-provider/registered.ts";

const PASSWORD = "Correct-password-1";

/** More than any file of tests needs. */
const people: readonly Person[] = Array.from({ length: 60 }, (_, n) => ({
  sub: `5ac1a5e5-0000-4000-8000-${String(n + 100).padStart(12, "0")}`,
  email: `person-${n}@people.example`,
  password: PASSWORD,
}));

/** The built server with the app, the identity provider and a mail server, all real. They stop after the tests of the file. */
export const startWorld = async (changed: Readonly<Record<string, string>> = {}) => {
  const port = await freePort();
  const app = `http://127.0.0.1:${port}`;
  const codes = new Map<string, string>();
  const provider = await startIdentityProvider({
    origins: [app],
    people: [...people, PEOPLE.newcomer, PEOPLE.careful],
    onResetCode: (email, code) => codes.set(email, code),
  });
  atEnd(provider.stop);
  /** Mailboxes that refuse mail for good, and those that put it off. */
  const [gone, busy] = [new Set<string>(), new Set<string>()];
  const mailbox = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _, done) => {
      if (gone.has(address)) done(Object.assign(new Error("5.1.1 no such user"), { responseCode: 550 }));
      else if (busy.has(address)) done(Object.assign(new Error("4.3.2 try later"), { responseCode: 451 }));
      else done();
    },
  });
  atEnd(mailbox.stop);
  const { variables } = await newMailEnvironment();
  const server = await startServerProcess({
    ...variables,
    ...unlimited,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_AUDIENCE: provider.clients.browser.id,
    POSTERN_RELAY_URL: mailbox.url,
    POSTERN_RATE_LIMIT: "0",
    POSTERN_MAIL_SUBJECTS: "true",
    POSTERN_WEB_PORT: `${port}`,
    POSTERN_WEB_SIGN_IN: "srp,oidc",
    ...changed,
  });
  atEnd(server.stop);

  const client = { issuer: provider.issuer, clientId: provider.clients.browser.id };
  /** The token in the link that was sent to this address last. */
  const linkTo = (address: string): Promise<string> =>
    until("a verification message", () => {
      const sent = mailbox.messages.findLast(({ to }) => to?.some((each) => each.address === address));
      return /verify\?token=(\S+)$/m.exec(sent?.text ?? "")?.[1] ?? null;
    });

  let next = 0;
  return {
    /** Where the app is. */
    app,
    api: server.url,
    provider,
    mailbox,
    gone,
    busy,
    linkTo,
    /** The code that was sent to somebody who has forgotten their password. */
    resetCode: (email: string) => until("a code", () => codes.get(email) ?? null),
    /** Somebody who has an account that is empty, and what a program of theirs can do. */
    newPerson: async () => {
      const person = people[next];
      next += 1;
      if (person === undefined) throw new Error("There are not enough people");
      const { email, password } = person;
      const signedIn = await signInWithPassword(client, { username: email, password });
      if (signedIn.type !== "signedIn") throw new Error(`Not signed in: ${JSON.stringify(signedIn)}`);
      const api = throwing(createClient({ baseUrl: `${server.url}/v1`, token: signedIn.tokens.idToken }));
      const newRecipient = async (address: string): Promise<string> => {
        const { data } = await api.addRecipient(address);
        await api.verifyRecipient({ token: await linkTo(address), confirm: "true" });
        return data.recipient_id;
      };
      return {
        email,
        password,
        api,
        /** Opens the link that was sent to this address last, as the owner of the mailbox would. */
        confirm: async (address: string) =>
          void (await api.verifyRecipient({ token: await linkTo(address), confirm: "true" })),
        /** Adds a recipient, and confirms its address. Returns its id. */
        newRecipient,
        /** An alias that forwards to a recipient of its own. */
        newAlias: async (description = "") => {
          const recipient = await newRecipient(`home-${crypto.randomUUID()}@home.example`);
          const { data } = await api.createAlias({ description, recipient_ids: [recipient] });
          return data;
        },
      };
    },
    /** Sends a message as mail servers do. Returns the last answer, which says whether it was accepted. */
    send: async (from: string, to: string, { subject = "Hello", text = "Hello." } = {}): Promise<string> => {
      const session = await openSession(server.mailPort());
      const message = `From: ${from}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}`;
      await session.say("EHLO mail.sender.test");
      await session.say(`MAIL FROM:<${from}>`);
      const admitted = await session.say(`RCPT TO:<${to}>`);
      if (admitted.startsWith("2")) await session.say("DATA");
      const answer = admitted.startsWith("2") ? await session.say(`${message}\r\n.`) : admitted;
      session.end();
      return answer;
    },
  };
};

export type World = Awaited<ReturnType<typeof startWorld>>;
