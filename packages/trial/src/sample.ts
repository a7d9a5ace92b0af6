import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createTransport } from "nodemailer";
import * as z from "zod";
import { PEOPLE, type Person } from "./identity-provider/registered.ts";

/** Milliseconds for all of it, on a very slow machine. */
const DEADLINE = 300_000;

export type Surroundings = {
  readonly api: string;
  /** Where keys work. */
  readonly keysUrl: string;
  /** The identity provider, and the id of the client for scripts. */
  readonly provider: { readonly url: string; readonly client: string };
  readonly mailPort: number;
  /** The folder with the mailboxes. */
  readonly mailboxes: string;
};

const Recipient = z.object({ recipient_id: z.string(), recipient_email: z.string(), verified: z.boolean() });
const Recipients = z.object({ recipients: z.array(Recipient) });
const Alias = z.object({ alias_id: z.string(), alias_email: z.string() });
const Keys = z.object({ keys: z.array(z.object({ name: z.string() })) });
const NewKey = z.object({ secret: z.string() });
const Aliases = z.object({ aliases: z.array(z.object({ description: z.string() })) });

/** What happens at an alias. */
type Event = (world: World, alias: Alias) => Promise<unknown>;

type World = {
  /** Calls the API. The result is the body of the response; null if it has none. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  send(from: string, to: string, subject: string, text: string): Promise<void>;
};

type Alias = z.infer<typeof Alias>;

const HOME = "home@example.com";
const WORK = "work@example.org";
const UNCONFIRMED = "unconfirmed@example.net";

const KEY = { name: "Password manager", scopes: ["aliases:create"] };

const BLOCKED_SENDER = "spam.example";

const received =
  (from: string, subject: string, text = "This message is part of the sample data."): Event =>
  ({ send }, { alias_email }) =>
    send(from, alias_email, subject, text);

const Contact = z.object({ contact_id: z.string(), reverse_email: z.string() });

const contactOf = async ({ call }: World, { alias_id }: Alias, email: string) =>
  Contact.parse(await call("POST", `/aliases/${alias_id}/contacts`, { email }));

/** The owner writes from home, at the alias, to somebody. */
const wrote =
  (to: string, subject: string): Event =>
  async (world, alias) => {
    const { reverse_email } = await contactOf(world, alias, to);
    await world.send(HOME, reverse_email, subject, "This message is part of the sample data.");
  };

const blocks =
  (email: string): Event =>
  async (world, alias) => {
    const { contact_id } = await contactOf(world, alias, email);
    await world.call("PATCH", `/aliases/${alias.alias_id}/contacts/${contact_id}`, { blocking: "reject" });
  };

const accepts =
  (rules: object): Event =>
  ({ call }, { alias_id }) =>
    call("PATCH", `/aliases/${alias_id}/rules`, rules);

const isSwitchedOff: Event = ({ call }, { alias_id }) =>
  call("PATCH", `/aliases/${alias_id}`, { active: false });

const isDeleted: Event = ({ call }, { alias_id }) => call("DELETE", `/aliases/${alias_id}`);

/** More than the mail server of example.org takes. */
const LARGE = "A long message. ".repeat(2000);

/** The aliases: what they are created with, whom they forward to, and what then happens. The comments say what becomes of messages. */
const ALIASES: readonly (readonly [
  created: { readonly description: string; readonly [field: string]: string },
  forwardsTo: readonly (typeof HOME | typeof WORK)[],
  ...events: readonly Event[],
])[] = [
  [
    { alias_email: "shopping@postern.example", description: "Shopping" },
    [HOME, WORK],
    // Delivered at home; at work, only sent: example.org reports nothing more.
    received("orders@books.example", "Your order"),
    received("orders@books.example", "Your order is on its way"),
    wrote("orders@books.example", "Re: Your order"),
    // Bounced: there is no such mailbox.
    wrote("nobody@books.example", "A question"),
    // Blocked: the sender is blocked.
    received("offers@spam.example", "You have won"),
  ],
  [
    { alias_email: "newsletters@postern.example", description: "Newsletters" },
    [WORK],
    received("news@garden.example", "Spring"),
    // Bounced: it is too large for the mailbox.
    received("news@garden.example", "The whole year in pictures", LARGE),
  ],
  [
    { alias_email: "bank@postern.example", description: "Only my bank" },
    [HOME],
    accepts({ accept_from: "listed", senders: ["bank.example"] }),
    // Blocked: bank.example says that its mail does not come from here, and nobody else is listed.
    received("security@bank.example", "Your account is locked"),
    received("security@bank-help.example", "Your account is locked"),
  ],
  [
    { alias_email: "travel@postern.example", description: "Tickets and hotels" },
    [HOME],
    received("desk@hotel.example", "Your room"),
    // Queued: that mail server is busy, again and again.
    wrote("busy@railway.example", "A lost umbrella"),
  ],
  [
    { alias_email: "forum@postern.example", description: "A forum" },
    [HOME],
    received("ada@forum.example", "Welcome"),
    blocks("troll@forum.example"),
    // Blocked: the contact is.
    received("troll@forum.example", "You are wrong"),
  ],
  [
    { alias_email: "family@postern.example", description: "Only people I have written to" },
    [HOME],
    accepts({ accept_from: "written_to" }),
    wrote("sister@family.example", "Sunday"),
    received("sister@family.example", "Re: Sunday"),
    // Blocked: nobody has written to them.
    received("stranger@elsewhere.example", "Hello"),
  ],
  [
    { alias_email: "old-job@postern.example", description: "Until 2024" },
    [WORK],
    isSwitchedOff,
    // Blocked: the alias is switched off.
    received("colleague@office.example", "Lunch?"),
  ],
  [
    { alias_email: "raffle@postern.example", description: "A raffle" },
    [HOME],
    // Dropped after a minute, at the next attempt: the alias is gone.
    wrote("busy@raffle.example", "My number"),
    isDeleted,
  ],
  [{ alias_format: "words", description: "For one parcel" }, [HOME, WORK], accepts({ messages_left: 3 })],
  [{ alias_format: "random", description: "A form on the web" }, [WORK]],
  [{ alias_format: "uuid", description: "Warranty cards" }, [WORK, HOME]],
];

const SignedIn = z.object({ AuthenticationResult: z.object({ IdToken: z.string() }) });

const signIn = async (
  { url, client }: Surroundings["provider"],
  { email, password }: Person,
  signal: AbortSignal,
) => {
  const response = await fetch(url, {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.InitiateAuth",
    },
    body: JSON.stringify({
      AuthFlow: "USER_PASSWORD_AUTH",
      ClientId: client,
      AuthParameters: { USERNAME: email, PASSWORD: password },
    }),
  });
  return SignedIn.parse(await response.json()).AuthenticationResult.IdToken;
};

/**
 * Makes the sample data, through the API and by mail, as people do. What is there already, because an earlier attempt was
 * interrupted, is not made again.
 *
 * @throws Error if something was not possible
 */
export const makeSample = async ({
  api,
  keysUrl,
  provider,
  mailPort,
  mailboxes,
}: Surroundings): Promise<void> => {
  const signal = AbortSignal.timeout(DEADLINE);
  const token = await signIn(provider, PEOPLE.ready, signal);
  const transport = createTransport({
    host: "127.0.0.1",
    port: mailPort,
    ignoreTLS: true,
    pool: true,
    connectionTimeout: DEADLINE,
    socketTimeout: DEADLINE,
  });

  const call: World["call"] = async (method, path, body) => {
    const response = await fetch(`${api}${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };

  const send: World["send"] = async (from, to, subject, text) => {
    await transport.sendMail({ from, to, subject, text }).catch((error: { responseCode?: number }) => {
      // That is what happens to mail that the alias blocks.
      if (error.responseCode !== 550) throw error;
    });
  };

  /** Opens the link in a message to this mailbox, as soon as there is one. */
  const confirm = async (email: string): Promise<unknown> => {
    const folder = join(mailboxes, email);
    const isText = (name: string) => name.endsWith(".txt");
    for (;;) {
      const names = existsSync(folder) ? readdirSync(folder).filter(isText) : [];
      const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
      // The trial may have had another port when the message was written.
      const [path] = /\/recipients\/verify\?token=\S+$/m.exec(texts.join("\n")) ?? [];
      if (path !== undefined) return call("GET", `${path}&confirm=true`);
      await setTimeout(50, undefined, { signal });
    }
  };

  try {
    const { recipients } = Recipients.parse(await call("GET", "/recipients"));
    const ids = new Map<string, string>();
    for (const recipient_email of [HOME, WORK, UNCONFIRMED]) {
      const { recipient_id, verified } =
        recipients.find((recipient) => recipient.recipient_email === recipient_email) ??
        Recipient.parse(await call("POST", "/recipients", { recipient_email }));
      ids.set(recipient_email, recipient_id);
      if (!verified && recipient_email !== UNCONFIRMED) await confirm(recipient_email);
    }
    await call("POST", "/blocked-senders", { sender: BLOCKED_SENDER });
    const { keys } = Keys.parse(await call("GET", "/keys"));
    if (!keys.some(({ name }) => name === KEY.name)) {
      const { secret } = NewKey.parse(await call("POST", "/keys", KEY));
      // So that it has been used. Nobody knows the secret afterwards.
      await fetch(`${keysUrl}/service`, { signal, headers: { authorization: `Bearer ${secret}` } });
    }

    const there = await Promise.all(["/aliases", "/aliases?deleted=true"].map((path) => call("GET", path)));
    const made = new Set(
      there.flatMap((list) => Aliases.parse(list).aliases).map(({ description }) => description),
    );
    for (const [created, forwardsTo, ...events] of ALIASES) {
      if (made.has(created.description)) continue;
      const recipient_ids = forwardsTo.map((email) => ids.get(email));
      const alias = Alias.parse(await call("POST", "/aliases", { ...created, recipient_ids }));
      for (const event of events) await event({ call, send }, alias);
    }
  } finally {
    transport.close();
  }
};
