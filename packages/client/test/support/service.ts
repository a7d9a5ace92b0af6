import { freePort } from "@postern/test-support/free-port";
import { until } from "@postern/test-support/until";
import { afterAll } from "vitest";
import { environment } from "../../../server/test/support/environment.ts";
import { startIdentityProvider } from "../../../server/test/support/identity-provider.ts";
import { newMailEnvironment } from "../../../server/test/support/mail-environment.ts";
import { startMailbox } from "../../../server/test/support/mailbox.ts";
import { startServerProcess } from "../../../server/test/support/server-process.ts";
import { clientWith } from "../../src/client.ts";
import { type ClientSettings, throwing } from "../../src/index.ts";
import { startProxy } from "./proxy.ts";

/** A server as a release has it, with what it needs, and a proxy before it. They stop after the tests of the file. */
export const startService = async (changed: Readonly<Record<string, string>> = {}) => {
  const provider = await startIdentityProvider();
  provider.release();
  /** Mailboxes that no longer exist. */
  const gone = new Set<string>();
  const mailbox = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _, done) =>
      done(gone.has(address) ? Object.assign(new Error("5.1.1 no such user"), { responseCode: 550 }) : null),
  });
  const { variables } = await newMailEnvironment();
  const keysPort = await freePort();
  const keysUrl = `http://127.0.0.1:${keysPort}`;
  const server = await startServerProcess({
    ...environment,
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_RELAY_URL: mailbox.url,
    POSTERN_KEYS_PORT: `${keysPort}`,
    POSTERN_KEYS_URL: keysUrl,
    ...changed,
  });
  const proxy = await startProxy(server.url);
  const keysProxy = await startProxy(keysUrl);
  afterAll(async () => {
    await proxy.stop();
    await keysProxy.stop();
    await server.stop();
    await mailbox.stop();
    await provider.stop();
  });

  /** The token in the link that was sent to this address last. */
  const linkTo = (address: string): Promise<string> =>
    until("a verification message", () => {
      const sent = mailbox.messages.findLast(({ to }) => to?.some((each) => each.address === address));
      return /verify\?token=(\S+)$/m.exec(sent?.text ?? "")?.[1] ?? null;
    });

  let accounts = 0;
  /** An account that has nothing yet. Its client reaches the server through the proxy. */
  const newAccount = () => {
    accounts += 1;
    const account = `account-${accounts}`;
    const token = provider.tokenOf(account);
    const pauses: number[] = [];
    const newClient = (settings: Partial<ClientSettings> = {}, timeout = 120_000) =>
      clientWith(
        { baseUrl: `${proxy.url}/v1`, token, ...settings },
        { timeout, pause: async (milliseconds) => void pauses.push(milliseconds) },
      );
    const client = newClient();
    const addressOf = (name: string): string => `${name}.${account}@home.example`;
    return {
      client,
      newClient,
      token,
      /** One that the server refuses. */
      expired: provider.tokenOf(account, "test", { iat: 0, exp: 1 }),
      /** How long clients have paused, in milliseconds. In fact, they have not. */
      pauses,
      linkTo,
      addressOf,
      /** Adds a recipient, and confirms its address as its owner would. Returns its id. */
      newRecipient: async (name: string): Promise<string> => {
        const address = addressOf(name);
        const { addRecipient, verifyRecipient } = throwing(client);
        const { data } = await addRecipient(address);
        await verifyRecipient({ token: await linkTo(address), confirm: "true" });
        return data.recipient_id;
      },
    };
  };
  return { proxy, keysProxy, keysUrl, newAccount, mailPort: server.mailPort(), gone };
};
