import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startServerProcess } from "./support/server-process.ts";

const Recipient = z.object({ recipient_id: z.string(), alias_count: z.int() });
const Alias = z.object({ alias_id: z.string(), destination_emails: z.array(z.string()) });

/** Two complete servers on one table, called in turn. */
const start = async () => {
  const dynamoDb = await sharedDynamoDb();
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const mailbox = await startMailbox();
  onTestFinished(mailbox.stop);
  const variables = {
    ...environment,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    POSTERN_DYNAMODB_TABLE: await dynamoDb.newTable(),
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  const servers = [await startServerProcess(variables), await startServerProcess(variables)];
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));

  let turn = 0;
  const next = (): string => {
    turn += 1;
    return servers[turn % servers.length]?.url ?? expect.unreachable();
  };
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(next() + path, {
      method,
      headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: z.looseObject({}).parse(await response.json()) };
  };
  const newRecipient = async (email: string): Promise<string> => {
    const added = await call("POST", "/recipients", { recipient_email: email });
    const link = new URL(/^http:\S+$/m.exec(mailbox.messages.at(-1)?.text ?? "")?.[0] ?? "");
    const confirmed = await fetch(`${next()}${link.pathname}${link.search}&confirm=true`);
    expect(confirmed.status).toBe(200);
    return Recipient.parse(added.json).recipient_id;
  };
  return { call, newRecipient };
};

test("two servers on one table act as one service, even for contending writers", async () => {
  const { call, newRecipient } = await start();
  const [first, second] = [await newRecipient("first@example.com"), await newRecipient("second@example.com")];
  const created = await call("POST", "/aliases", { recipient_ids: [first], alias_format: "words" });
  expect(created.status).toBe(201);
  const { alias_id } = Alias.parse(created.json);

  const lists = [[first], [second], [second, first]];
  /** Repeats the request if the server was too busy, as a client does. */
  const replace = async (recipient_ids: readonly string[]): Promise<number> => {
    const { status } = await call("PUT", `/aliases/${alias_id}/recipients`, { recipient_ids });
    return status === 503 ? replace(recipient_ids) : status;
  };
  const rivals = Array.from({ length: 18 }, (_, i) => replace(lists[i % lists.length] ?? []));
  for (const status of await Promise.all(rivals)) expect(status).toBe(200);

  const replaced = await call("PUT", `/v1/aliases/${alias_id}/recipients`, {
    recipient_ids: [second, first],
  });
  const addresses = ["second@example.com", "first@example.com"];
  expect(Alias.parse(replaced.json).destination_emails).toEqual(addresses);
  for (const _ of ["one server", "the other one"]) {
    const { destination_emails } = Alias.parse((await call("GET", `/aliases/${alias_id}`)).json);
    expect(destination_emails).toEqual(addresses);
  }
  const { recipients } = z
    .object({ recipients: z.array(Recipient) })
    .parse((await call("GET", "/recipients")).json);
  expect(recipients.map(({ alias_count }) => alias_count)).toEqual([1, 1]);
});
