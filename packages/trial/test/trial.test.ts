import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { block } from "../../../scripts/document-blocks.ts";
import { launchChromium } from "../../server/test/support/chromium.ts";
import { newDirectory } from "../../test-support/src/new-directory.ts";
import { expectAccessible, expectFits } from "../../web/test/support/browser.ts";

// Each test starts programs, which takes a long time on a busy machine.
const START = { timeout: 280_000 };
const TWO_STARTS = 600_000;

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A directory for trials, with a name that needs quotes in the shell. It also holds their temporary files. */
const newPlace = (): string => {
  const place = join(newDirectory(), "ada's trial");
  mkdirSync(place);
  return place;
};

/** Trials start sooner with what earlier ones have compiled. */
const compiled = newDirectory();

const trials: { readonly signal: (signal: NodeJS.Signals) => boolean; readonly ended: Promise<unknown> }[] =
  [];
afterAll(async () => {
  for (const { signal, ended } of trials) {
    signal("SIGKILL");
    await ended;
  }
});

/** Starts a trial as a user does, in its own process. */
const begin = (directory: string, variables: Readonly<Record<string, string>> = {}) => {
  const trial = spawn(process.execPath, [main], {
    cwd: directory,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, TMPDIR: directory, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const signal = (name: NodeJS.Signals) => trial.kill(name);
  const ended = once(trial, "close");
  trials.push({ signal, ended });
  const printed = { output: "", errors: "" };
  trial.stdout.on("data", (chunk) => {
    printed.output += chunk;
  });
  trial.stderr.on("data", (chunk) => {
    printed.errors += chunk;
  });
  const matching = (pattern: RegExp): string => {
    const [, found] = pattern.exec(printed.output) ?? [];
    return found ?? expect.unreachable(`nothing was printed that matches ${pattern}`);
  };
  return {
    directory,
    output: () => printed.output,
    errors: () => printed.errors,
    started: () =>
      Promise.race([
        expect.poll(() => printed.output, START).toContain("Ctrl-C stops everything."),
        ended.then(() => expect.unreachable(`the trial has ended: ${printed.errors}`)),
      ]),
    /** Where its servers listen. */
    addresses: () =>
      ["API", "incoming mail", "identity provider", "keys", "mailboxes", "browser app"].map((of) =>
        addressIn(matching, of),
      ),
    /** What the pattern captures in what it has printed. */
    matching,
    signal,
    /** Its exit code and the signal that ended it. */
    ended,
    filesOf: (mailbox: string) => readdir(join(directory, ".postern/mailboxes", mailbox)),
    messageIn: (mailbox: string, file: string) =>
      readFile(join(directory, ".postern/mailboxes", mailbox, file), "utf8"),
  };
};

const addressIn = (matching: (pattern: RegExp) => string, of: string): string =>
  matching(new RegExp(`${of} +((?:http|smtp)://127\\.0\\.0\\.1:\\d+)`));

type Trial = ReturnType<typeof begin>;

const printedCommands = ({ matching }: Trial): string =>
  matching(/another terminal.*?\n\n(.*)\nMessages that arrive are listed below/s);

const Recipient = z.object({ recipient_email: z.string() });
const SignedIn = z.object({
  AuthenticationResult: z.object({ IdToken: z.string(), AccessToken: z.string() }),
});
const Alias = z.object({ destination_emails: z.array(z.string()), alias_email: z.string() });

/** Runs the printed commands, as a user who pastes them does. Returns the relevant parts of their output. */
const paste = async (trial: Trial, shell = "sh", commands = printedCommands(trial)) => {
  const { stdout, stderr } = await promisify(execFile)(shell, ["-c", commands]);
  expect(stderr).toBe("");
  const [sent = ""] = /^6\. Send a message.*/ms.exec(stdout) ?? [];
  const json = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));
  return { stdout, json, sent };
};

const shared = begin(newPlace());

test("the printed commands replace an alias's recipients, and a message to it arrives at both and is counted", async () => {
  await shared.started();
  const { directory, filesOf, messageIn, output, errors } = shared;
  expect(output()).toContain("NOT FOR REAL MAIL");
  expect(output()).toMatch(/tells everybody its passwords.*127\.0\.0\.1.*instead of being sent.*\.postern;/s);
  const { stdout, json, sent } = await paste(shared);
  expect(stdout.match(/^HTTP \d+$/gm)).toEqual(["HTTP 200"]);
  const [ada, grace, adaVerified, graceVerified, created, replaced] = json;
  expect([ada, grace]).toMatchObject([
    { recipient_email: expect.stringMatching(/^ada-\d+@example\.com$/), verified: false },
    { recipient_email: expect.stringMatching(/^grace-\d+@example\.com$/), verified: false },
  ]);
  expect([adaVerified, graceVerified]).toMatchObject([{ verified: true }, { verified: true }]);
  const emails = [ada, grace].map((each) => Recipient.parse(each).recipient_email);
  const [adaEmail = "", graceEmail = ""] = emails;
  expect(Alias.parse(created).destination_emails).toEqual([adaEmail]);
  const alias = Alias.parse(replaced);
  expect(alias.destination_emails).toEqual([graceEmail, adaEmail]);

  expect(
    sent
      .replaceAll(`${directory}/`, "")
      .replaceAll(/-\d+@/g, "@")
      .replaceAll(/r-[a-z2-7]{26}@/g, "r-…@"),
  ).toBe(block("README.md", "Postern", 1));

  for (const email of emails) {
    expect((await filesOf(email)).toSorted()).toEqual(["1.eml", "1.txt", "2.eml", "2.txt"]);
    expect(await messageIn(email, "1.txt")).toContain(`To: ${email}\n`);
    const forwarded = await messageIn(email, "2.eml");
    expect(forwarded).toMatch(/^DKIM-Signature: [^:]*d=postern\.example; s=trial;/m);
    expect(forwarded).toContain(`To: ${alias.alias_email}`);
    for (const secret of emails) expect(forwarded).not.toContain(secret);
    const link = `${shared.addresses()[0]}/recipients/verify?token=`;
    const listed = `[mail] .postern/mailboxes/${email}/`;
    await expect.poll(output).toContain(`${listed}1.eml\n       Confirm this address: ${link}`);
    await expect.poll(output).toContain(`${listed}2.eml\n`);
  }
  expect(errors()).toBe("");
});

/** The tokens of the user whose sign-in is printed. */
const signIn = async ({ addresses, matching }: Trial) => {
  const response = await fetch(addresses()[2] ?? "", {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.InitiateAuth",
    },
    body: matching(/(\{"AuthFlow".*?\}\})/s),
  });
  return SignedIn.parse(await response.json()).AuthenticationResult;
};

test("the identity provider's access token is not accepted, and an ID token is, from the browser app too", async () => {
  await shared.started();
  const tokens = await signIn(shared);
  const origin = "http://localhost:5173";
  for (const [token, status] of [
    [tokens.IdToken, 200],
    [tokens.AccessToken, 401],
  ] as const) {
    const answer = await fetch(`${shared.addresses()[0]}/aliases`, {
      headers: { authorization: `Bearer ${token}`, origin },
    });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, origin]);
  }
});

/** What the user of a trial has. */
const ownedIn = async (trial: Trial) => {
  const { IdToken } = await signIn(trial);
  const get = async <Body>(path: string, form: z.ZodType<Body>): Promise<Body> => {
    const url = `${trial.addresses()[0]}${path}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${IdToken}` } });
    return form.parse(await answer.json());
  };
  const Aliases = z.object({ aliases: z.array(z.object({ alias_id: z.string(), description: z.string() })) });
  const { recipients } = await get(
    "/recipients",
    z.object({ recipients: z.array(z.object({ recipient_email: z.string(), verified: z.boolean() })) }),
  );
  const { blocked_senders: blocked } = await get(
    "/blocked-senders",
    z.object({ blocked_senders: z.array(z.object({ sender: z.string() })) }),
  );
  const { keys } = await get(
    "/keys",
    z.object({ keys: z.array(z.object({ name: z.string(), last_used_by: z.string().nullable() })) }),
  );
  const { aliases } = await get("/aliases", Aliases);
  const { aliases: deleted } = await get("/aliases?deleted=true", Aliases);
  return {
    get,
    recipients,
    blocked,
    keys,
    aliases: aliases.filter(({ description }) => description),
    deleted,
  };
};

const Messages = z.object({
  messages: z.array(
    z.object({
      direction: z.string(),
      blocked: z.object({ code: z.string() }).nullable(),
      recipients: z.array(z.object({ state: z.string(), reason: z.object({ code: z.string() }).nullable() })),
    }),
  ),
});

test(
  "the sample data has a message in each state, except those that take days",
  async () => {
    await shared.started();
    const { get, recipients, blocked, keys, aliases, deleted } = await ownedIn(shared);
    expect(recipients).toEqual(
      expect.arrayContaining([
        { recipient_email: "home@example.com", verified: true },
        { recipient_email: "work@example.org", verified: true },
        { recipient_email: "unconfirmed@example.net", verified: false },
      ]),
    );
    expect(blocked).toEqual([{ sender: "spam.example" }]);
    expect(keys).toEqual([{ name: "Password manager", last_used_by: "program" }]);
    expect(aliases).toHaveLength(10);
    expect(deleted).toHaveLength(1);
    const states = async () => {
      const logs = await Promise.all(
        [...aliases, ...deleted].map(({ alias_id }) => get(`/aliases/${alias_id}/messages`, Messages)),
      );
      const seen = logs.flatMap(({ messages }) =>
        messages.flatMap((message) =>
          message.blocked === null
            ? message.recipients.map(({ state, reason }) =>
                [message.direction, state, ...(reason ? [reason.code] : [])].join(" "),
              )
            : [`blocked ${message.blocked.code}`],
        ),
      );
      return [...new Set(seen)].toSorted();
    };
    await expect
      .poll(states, { ...START, interval: 1000 })
      .toEqual([
        "blocked alias_inactive",
        "blocked contact_blocked",
        "blocked not_listed",
        "blocked not_written_to",
        "blocked sender_blocked",
        "blocked sender_not_authentic",
        "received bounced message_too_large",
        "received delivered",
        "received sent",
        "sent bounced mailbox_unknown",
        "sent dropped unreachable",
        "sent queued unreachable",
        "sent sent",
      ]);
  },
  TWO_STARTS,
);

/** Opens a page in Chromium, which is closed at the end of the test. */
const open = async (
  url: string,
  options: { readonly bypassCSP?: boolean; readonly viewport?: { width: number; height: number } } = {},
) => {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext(options);
  // Only a failing test waits this long.
  context.setDefaultTimeout(START.timeout);
  const page = await context.newPage();
  await page.goto(url);
  return page;
};

test("in a browser, people sign in and see their aliases, confirm an address, write to an alias, and answer", async () => {
  await shared.started();
  const [, , , , mailboxes = "", app = ""] = shared.addresses();
  const page = await open(app);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  const [, email = "", password = ""] =
    /sign in as (\S+) with (\S+)/.exec(shared.output()) ?? expect.unreachable("nobody can sign in");
  const see = (text: string) => page.getByText(text).first().waitFor();
  await page.locator("input[name=username]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page.locator("form button").click();
  await see("shopping@postern.example");

  await page.goto(mailboxes);
  await page.getByRole("link", { name: "unconfirmed@example.net" }).click();
  await page.getByRole("link", { name: "Confirm" }).click();
  await page.getByRole("link", { name: "/recipients/verify?token=" }).click();
  await page.getByRole("button", { name: "Confirm this address" }).click();
  await page.getByRole("button").waitFor({ state: "detached" });
  const { recipients } = await ownedIn(shared);
  expect(recipients).toContainEqual({ recipient_email: "unconfirmed@example.net", verified: true });

  await page.goto(mailboxes);
  const send = async (typed: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  await send({
    From: "Carol <carol@post.example>",
    To: "unknown@postern.example",
    Subject: "A new book",
    Text: "\nRead it.\n\nCarol",
  });
  await page.getByRole("alert").getByText("There is no such mailbox").waitFor();
  expect(await page.getByLabel("Text").inputValue()).toBe("\nRead it.\n\nCarol");
  await send({ To: "shopping@postern.example" });
  await page.getByRole("status").getByText("accepted the message").waitFor();

  await page.getByRole("link", { name: "work@example.org" }).click();
  await expect
    .poll(async () => {
      await page.getByRole("link", { name: "Refresh" }).click();
      return page.getByRole("link", { name: "A new book" }).count();
    }, START)
    .toBe(1);
  await page.getByRole("link", { name: "A new book" }).click();
  await see("Read it.");
  await page.getByRole("link", { name: "Reply" }).click();
  await send({ Text: "I will." });
  await page.getByRole("status").getByText("accepted the message").waitFor();
  const answers = () => shared.filesOf("carol@post.example").catch(() => []);
  await expect.poll(answers, START).toContain("1.txt");
  expect(await shared.messageIn("carol@post.example", "1.txt")).toMatch(
    /^From: shopping@postern\.example\n.*Subject: Re: A new book\n.*I will\./s,
  );
  expect(complaints.filter((text) => !text.includes("status of 422"))).toEqual([]);
});

test("the pages of the mailboxes have no barriers, and fit on a phone", async () => {
  await shared.started();
  const url = shared.addresses()[4] ?? "";
  const page = await open(url, { bypassCSP: true, viewport: { width: 320, height: 640 } });
  const folder = `${url}/mailboxes/unconfirmed@example.net`;
  for (const path of ["/", "/sent", "/nothing"].map((end) => url + end).concat(folder, `${folder}/1`)) {
    await page.goto(path);
    await expectAccessible(page);
    await expectFits(page);
  }
  await page.getByRole("link", { name: "Reply" }).click();
  await page.getByLabel("To").fill("nobody");
  await page.getByRole("button").click();
  await page.getByRole("alert").waitFor();
  await expectAccessible(page);
  await expectFits(page);
});

test(
  "a trial that was killed while it made the sample data makes the rest when it is started again",
  async () => {
    const directory = newPlace();
    const first = begin(directory);
    // Its second message.
    await expect.poll(() => first.filesOf("work@example.org").catch(() => []), START).not.toEqual([]);
    first.signal("SIGKILL");
    await first.ended;

    const second = begin(directory);
    await second.started();
    const { recipients, keys, aliases, deleted } = await ownedIn(second);
    expect([recipients.length, keys.length, aliases.length, deleted.length]).toEqual([3, 1, 10, 1]);
    expect(second.errors()).toBe("");
    second.signal("SIGKILL");
  },
  TWO_STARTS,
);

test.each(["dash", "bash", "zsh"])("the commands can be pasted twice, in %s", async (shell) => {
  await shared.started();
  const commands = printedCommands(shared);
  const { stdout, json } = await paste(shared, shell, `${commands}\n${commands}`);
  expect(stdout.match(/^HTTP \d+$/gm)).toEqual(["HTTP 200", "HTTP 200"]);
  expect(stdout.match(/^"emails_(?:delivered|replied)":\d+$/gm)).toEqual([
    ...['"emails_delivered":2', '"emails_replied":1'],
    ...['"emails_delivered":2', '"emails_replied":1'],
  ]);
  expect(json).toHaveLength(12);
  for (const object of json) expect(object).not.toHaveProperty("code");
});

/** Whether something listens there. */
const isOpen = async (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Checks that a signal stops a trial, and leaves only its data behind. */
const expectStopped = async (trial: Trial, signal: "SIGINT" | "SIGTERM") => {
  const addresses = trial.addresses();
  for (const address of addresses) expect(await isOpen(address)).toBe(true);

  trial.signal(signal);
  // A package manager forwards the signal that the terminal has already sent.
  trial.signal(signal);
  expect(await trial.ended).toEqual([0, null]);

  for (const address of addresses) expect(await isOpen(address)).toBe(false);
  expect(await readdir(trial.directory)).toEqual([".postern"]);
  expect(trial.errors()).toBe("");
};

test(
  "a second trial uses other ports, and another directory",
  async () => {
    await shared.started();
    const refused = begin(shared.directory);
    expect(await refused.ended).toEqual([1, null]);
    expect(refused.errors()).toContain("set POSTERN_TRIAL_DIRECTORY to another directory");

    const second = begin(shared.directory, { POSTERN_TRIAL_DIRECTORY: "second" });
    await second.started();
    for (const address of shared.addresses()) {
      expect(second.output()).not.toContain(address);
      expect(await isOpen(address)).toBe(true);
    }
    await access(join(shared.directory, "second/postern.db"));
    second.signal("SIGKILL");
  },
  TWO_STARTS,
);

test(
  "a signal stops everything and leaves only the data behind; after a restart the commands work again, and earlier aliases and keys are still there",
  async () => {
    const directory = newPlace();
    const first = begin(directory);
    await first.started();
    const { json } = await paste(first);
    const alias = Alias.parse(json[5]);
    const key = await readFile(join(directory, ".postern/dkim.pem"), "utf8");
    await expectStopped(first, "SIGTERM");

    const second = begin(directory);
    await second.started();
    // The sample data is made once.
    expect(await second.filesOf("unconfirmed@example.net")).toEqual(["1.eml", "1.txt"]);
    const { sent } = await paste(second);
    expect(sent).toContain('"emails_delivered":2');

    // The printed command, with the earlier alias.
    const send = second.matching(/^(printf [^\n]+\n +curl [^\n]+)$/m);
    await promisify(execFile)("sh", ["-c", send], { env: { ...process.env, SHOP: alias.alias_email } });
    for (const email of alias.destination_emails) {
      await expect.poll(() => second.filesOf(email)).toContain("3.txt");
      expect(await second.messageIn(email, "3.txt")).toContain("It is on its way.");
    }
    expect(await readFile(join(directory, ".postern/dkim.pem"), "utf8")).toBe(key);
    await expectStopped(second, "SIGINT");
  },
  TWO_STARTS,
);
