import { failureOf, valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { sharedStores, startAdministered } from "./support/administered.ts";
import { type Ran, run } from "./support/run-command.ts";
import { runHere } from "./support/run-here.ts";

/* What an operator does for an account, as its owner would with a client: adds recipients, and creates and changes aliases. */

const ACCOUNT = "ada";
const OTHER = "grace";

const refused = (errors: string) => ({ status: 1, output: "", errors: `${errors}\n` });

/** The lines of a command that succeeded, split into columns. */
const columns = ({ status, output, errors }: Ran) => {
  expect({ status, errors }).toEqual({ status: 0, errors: expect.any(String) });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
};

const jsonOf = <T>(schema: z.ZodType<T>, { output }: Ran): readonly T[] =>
  output
    .trimEnd()
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)));

const Addressed = z.object({ recipient: z.string(), email: z.string() });
const Created = z.object({ alias: z.string(), email: z.string(), recipients: z.array(Addressed) });

type Call = Awaited<ReturnType<typeof startAdministered>>["call"];

/** Repeats what can be repeated while the server is too busy: commands wait longer for a store than requests do. */
const patient =
  (call: Call): Call =>
  async (...request) => {
    for (;;) {
      const response = await call(...request);
      if (response.status !== 503) return response;
    }
  };

describe.each(Object.entries(sharedStores))("on a running server with %s", (name, open) => {
  test("a person without a client gets recipients and aliases, and changes where mail goes", async () => {
    const { variables, resolve, command: here, ...server } = await startAdministered(await open());
    const call = patient(server.call);
    // Beside a server on SQLite, it matters that the command is another process.
    const command = name === "sqlite" ? (...args: string[]) => run(variables, ...args) : here;
    const destinations = async (address: string) =>
      valueOf(await resolve(address)).alias.destinations.map(({ email }) => email);

    const adopted = await command("recipient", "adopt", ACCOUNT, "me@home.example.org");
    expect(adopted).toEqual({
      status: 0,
      output: expect.stringMatching(/^me@home\.example\.org\tactive\t0 aliases\t\S+\n$/),
      errors:
        "Added as verified, without a message: aliases of the account can forward to it. It is the first recipient of this account: make sure that the id is right.\n",
    });
    const work = await command("recipient", "adopt", "--json", ACCOUNT, "me@work.example.org");
    expect(work.errors).toBe(
      "Added as verified, without a message: aliases of the account can forward to it.\n",
    );
    const [{ recipient: workId } = expect.unreachable()] = jsonOf(Addressed, work);

    const created = await command(
      ...["alias", "create", ACCOUNT, "Shop@alias.example.com", "ME@home.example.org", workId],
    );
    expect(created.errors).toBe("Created: the alias accepts mail.\n");
    const [[, , , aliasId = ""] = []] = columns(created);
    expect(created.output).toBe(
      `Shop@alias.example.com\tactive\tme@home.example.org, me@work.example.org\t${aliasId}\n`,
    );
    expect(await destinations("shop@alias.example.com")).toEqual([
      "me@home.example.org",
      "me@work.example.org",
    ]);
    // The running server sees it at once, and so does a client, should there be one.
    expect(await call(ACCOUNT, "GET", `/aliases/${aliasId}`)).toMatchObject({
      status: 200,
      body: {
        alias_email: "Shop@alias.example.com",
        destination_emails: ["me@home.example.org", "me@work.example.org"],
      },
    });
    const generated = await command(
      ...["alias", "create", "--json", ACCOUNT, "alias.example.com", "me@home.example.org"],
    );
    const [{ email: random } = expect.unreachable()] = jsonOf(Created, generated);
    expect(random).toMatch(/^[a-z0-9]{10}@alias\.example\.com$/);

    const replaced = await command("alias", "to", ACCOUNT, "SHOP@alias.example.com", "me@work.example.org");
    expect(replaced).toEqual({
      status: 0,
      output:
        "alias: Shop@alias.example.com\nbefore: me@home.example.org, me@work.example.org\nafter: me@work.example.org\n",
      errors: "Replaced: the alias forwards to exactly these recipients.\n",
    });
    expect(await destinations("shop@alias.example.com")).toEqual(["me@work.example.org"]);
    const again = await command("alias", "to", "--json", ACCOUNT, aliasId, workId, "me@work.example.org");
    const same = [{ recipient: workId, email: "me@work.example.org" }];
    expect(again).toEqual({
      status: 0,
      output: `${JSON.stringify({ alias: aliasId, email: "Shop@alias.example.com", before: same, after: same })}\n`,
      errors: "The alias already had exactly these recipients: nothing was changed.\n",
    });

    expect(await command("alias", "off", ACCOUNT, aliasId)).toMatchObject({
      status: 0,
      errors: "The alias is off: it accepts no mail until it is switched on again.\n",
    });
    expect(failureOf(await resolve("shop@alias.example.com")).code).toBe("alias_inactive");
    const described = await call(ACCOUNT, "PATCH", `/aliases/${aliasId}`, {
      description: "for\u202e shops",
    });
    expect(described.status).toBe(200);
    const listed = await command("alias", "list", ACCOUNT);
    expect(listed.errors).toBe("Aliases listed: 2.\n");
    expect(columns(listed)).toEqual([
      [random, "active", "me@home.example.org", expect.any(String)],
      ["Shop@alias.example.com", "inactive", "me@work.example.org", aliasId, "for\\u{202e} shops"],
    ]);
    expect(await command("alias", "on", ACCOUNT, "shop@alias.example.com")).toMatchObject({ status: 0 });
    expect(await destinations("shop@alias.example.com")).toEqual(["me@work.example.org"]);
    expect((await call(ACCOUNT, "DELETE", `/aliases/${aliasId}`)).status).toBe(200);
    expect(columns(await command("alias", "list", ACCOUNT)).map(([email, state]) => [email, state])).toEqual([
      [random, "active"],
      ["Shop@alias.example.com", "deleted"],
    ]);
    const recipients = await command("recipient", "list", ACCOUNT);
    expect(recipients.errors).toBe("Recipients listed: 2.\n");
    expect(columns(recipients).map(([email, state, aliases]) => [email, state, aliases])).toEqual([
      ["me@work.example.org", "active", "0 aliases"],
      ["me@home.example.org", "active", "1 alias"],
    ]);
  });

  test("whatever cannot be done is refused, with the reason and what to do, and nothing changes", async () => {
    const { command, variables, addUnsent, ...server } = await startAdministered(await open());
    const call = patient(server.call);
    for (const [account, email] of [
      [ACCOUNT, "me@example.org"],
      [ACCOUNT, "off@example.org"],
      [OTHER, "they@example.org"],
    ] as const) {
      expect(await command("recipient", "adopt", account, email)).toMatchObject({ status: 0 });
    }
    await addUnsent(ACCOUNT, "new@example.org");
    const ids = new Map(
      columns(await command("recipient", "list", ACCOUNT)).map(([email = "", , , id = ""]) => [email, id]),
    );
    const [meId = "", offId = ""] = [ids.get("me@example.org"), ids.get("off@example.org")];
    const off = await call(ACCOUNT, "PATCH", `/recipients/${offId}`, { active: false });
    expect(off.status).toBe(200);
    const create = async () => {
      const created = await command("alias", "create", ACCOUNT, "alias.example.com", meId);
      const [[alias_email = "", , , alias_id = ""] = []] = columns(created);
      return { alias_email, alias_id };
    };
    const [alias, gone] = [await create(), await create()];
    expect((await call(ACCOUNT, "DELETE", `/aliases/${gone.alias_id}`)).status).toBe(200);
    expect(
      await command("alias", "create", OTHER, "theirs@alias.example.com", "they@example.org"),
    ).toMatchObject({ status: 0 });
    const before = await Promise.all(
      ["/aliases", "/aliases?deleted=true", "/recipients"].map((path) => call(ACCOUNT, "GET", path)),
    );

    const NOTHING = "Nothing was changed.";
    const ineligible = `stranger@example.org is not a recipient of the account: add it with \`recipient adopt\`.
they@example.org is not a recipient of the account: add it with \`recipient adopt\`.
new@example.org is not verified yet: send a new link with \`recipient resend\`, or vouch for it with \`recipient adopt\`.
OFF@example.org is inactive: its owner has switched it off, and can switch it on again.
${NOTHING}`;
    const bad = [
      "stranger@example.org",
      "they@example.org",
      "new@example.org",
      "me@example.org",
      "OFF@example.org",
    ];
    const many = Array.from({ length: 41 }, () => "me@example.org");
    const unknown = `The account has no such alias: \`alias list\` shows its aliases. ${NOTHING}`;
    const theirs = `The alias belongs to another account, which \`alias owner\` names. ${NOTHING}`;
    const deleted = `The alias is deleted, and cannot be changed unless its owner restores it. ${NOTHING}`;
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [["alias", "create", ACCOUNT, "shop@alias.example.com", ...bad], ineligible],
      [["alias", "to", ACCOUNT, alias.alias_id, ...bad], ineligible],
      [
        ["alias", "create", ACCOUNT, "x@alias.example.com", ...many],
        "RECIPIENT... must list at most 40 recipients.",
      ],
      [["alias", "to", ACCOUNT, alias.alias_email, ...many], "RECIPIENT... must list at most 40 recipients."],
      [
        ["alias", "create", ACCOUNT, "admin@alias.example.com", "me@example.org"],
        `ADDRESS has a name that is reserved, because mail to it is meant for the operator of the domain: choose another one. ${NOTHING}`,
      ],
      ...["shop@elsewhere.example", "elsewhere.example"].map(
        (address) =>
          [
            ["alias", "create", ACCOUNT, address, "me@example.org"],
            "ADDRESS is not on a domain of POSTERN_ALIAS_DOMAINS: nothing was changed.",
          ] as const,
      ),
      [
        ["alias", "create", ACCOUNT, "shop+tag@alias.example.com", "me@example.org"],
        "ADDRESS must consist of letters and digits before the @, with single . _ or - between them: choose another name.",
      ],
      [
        ["alias", "create", ACCOUNT, "shop", "me@example.org"],
        "ADDRESS must be a domain name such as example.com.",
      ],
      ...["theirs@alias.example.com", gone.alias_email].map(
        (address) =>
          [
            ["alias", "create", ACCOUNT, address, "me@example.org"],
            `ADDRESS is taken, by an alias of any account or by one that was erased: \`alias owner\` says which. ${NOTHING}`,
          ] as const,
      ),
      ...["nobody@alias.example.com", "an-id", "a\u0007"].map(
        (alias) => [["alias", "to", ACCOUNT, alias, "me@example.org"], unknown] as const,
      ),
      [["alias", "to", ACCOUNT, "theirs@alias.example.com", "me@example.org"], theirs],
      [["alias", "off", ACCOUNT, "theirs@alias.example.com"], theirs],
      [["alias", "on", ACCOUNT, "an-id"], unknown],
      [["alias", "to", ACCOUNT, gone.alias_email, "me@example.org"], deleted],
      [["alias", "on", ACCOUNT, gone.alias_id], deleted],
      [["recipient", "adopt", ACCOUNT, "me"], "ADDRESS must be an email address such as name@example.com."],
      [
        ["recipient", "adopt", ACCOUNT, "me@alias.example.com"],
        `ADDRESS is on a domain of POSTERN_ALIAS_DOMAINS: mail to it would loop. ${NOTHING}`,
      ],
      [["recipient", "list", ""], "ACCOUNT is not an account id: it must not be empty."],
      [
        ["recipient", "adopt", "a\u0007", "me@example.org"],
        "ACCOUNT is not an account id: it must be text without control characters.",
      ],
    ];
    for (const [args, reason] of refusals)
      expect([args, await command(...args)]).toEqual([args, refused(reason)]);

    const limited = { ...variables, POSTERN_MAX_RECIPIENTS: "3", POSTERN_MAX_ALIASES: "2" };
    expect(await runHere(limited, "recipient", "adopt", ACCOUNT, "more@example.org")).toEqual(
      refused("The account has 3 recipients, as many as POSTERN_MAX_RECIPIENTS allows: nothing was changed."),
    );
    expect(await runHere(limited, "alias", "create", ACCOUNT, "alias.example.com", "me@example.org")).toEqual(
      refused(
        "The account has 2 aliases, deleted ones included, as many as POSTERN_MAX_ALIASES allows: nothing was changed.",
      ),
    );
    const { POSTERN_ALIAS_DOMAINS: _, POSTERN_MAIL_FROM: __, ...others } = variables;
    expect(await runHere(others, "recipient", "adopt", ACCOUNT, "more@example.org")).toEqual(
      refused(
        "Set these variables as for the server: POSTERN_ALIAS_DOMAINS is required; POSTERN_MAIL_FROM is required.",
      ),
    );

    expect(await command("account", "suspend", ACCOUNT)).toMatchObject({ status: 0 });
    for (const args of [
      ["recipient", "adopt", ACCOUNT, "more@example.org"],
      ["alias", "create", ACCOUNT, "alias.example.com", "me@example.org"],
      ["alias", "to", ACCOUNT, alias.alias_id, "me@example.org"],
      ["alias", "off", ACCOUNT, alias.alias_id],
    ]) {
      expect(await command(...args)).toEqual(
        refused("Nothing was changed: the account is suspended. Run `account resume` first."),
      );
    }
    expect(columns(await command("alias", "list", ACCOUNT))).toHaveLength(2);
    expect(await command("account", "resume", ACCOUNT)).toMatchObject({ status: 0 });
    expect(
      await Promise.all(
        ["/aliases", "/aliases?deleted=true", "/recipients"].map((path) => call(ACCOUNT, "GET", path)),
      ),
    ).toEqual(before);

    // Who vouches for a recipient that was already added also verifies it.
    await addUnsent(ACCOUNT, "sent@example.org");
    const vouched = await command("recipient", "adopt", ACCOUNT, "SENT@example.org");
    expect(vouched).toMatchObject({
      output: expect.stringMatching(/^sent@example\.org\tactive\t/),
      errors: "The account already had this recipient. It is verified now, and aliases can forward to it.\n",
    });
    expect(await command("recipient", "adopt", ACCOUNT, "sent@example.org")).toMatchObject({
      status: 0,
      output: vouched.output,
      errors: "The account already has this recipient, and it is verified: nothing was changed.\n",
    });
    expect(
      await command("alias", "create", ACCOUNT, "after@alias.example.com", "sent@example.org"),
    ).toMatchObject({ status: 0 });
  });

  test("a person without a client gets a key for a program, which the server accepts until it is deleted", async () => {
    const { variables: located, ...store } = await open();
    const keysPort = await freePort();
    const keysUrl = `http://127.0.0.1:${keysPort}`;
    const { command, variables, tenSecondsLater } = await startAdministered({
      ...store,
      variables: { ...located, POSTERN_KEYS_PORT: `${keysPort}`, POSTERN_KEYS_URL: keysUrl },
    });
    const statusWith = async (key: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await fetch(`${keysUrl}/aliases`, { headers });
      return status === 503 ? statusWith(key) : status;
    };
    const create = (...args: string[]) => command("key", "create", ACCOUNT, ...args);

    expect((await create("My manager", "messages:read")).errors).toContain(
      `${keysUrl} (The account has no recipient: add one with \`recipient adopt\`, or make sure`,
    );
    expect(await command("key", "delete", ACCOUNT, "My manager")).toMatchObject({ status: 0 });
    expect(await command("recipient", "adopt", ACCOUNT, "me@home.example.org")).toMatchObject({ status: 0 });
    const created = await create("My manager", "aliases:read", "aliases:create");
    expect(created).toEqual({
      status: 0,
      output: expect.stringMatching(/^pk_[0-9A-Za-z]{40}\n$/),
      errors: `Created: the key is shown only now. The program that it is for needs it, and this address: ${keysUrl}\n`,
    });
    const secret = created.output.trim();
    expect(await statusWith(secret)).toBe(200);
    const second = await command("key", "create", "--json", ACCOUNT, "My manager", "messages:read");
    const Key = z.object({ key: z.string(), secret: z.string(), scopes: z.array(z.string()) });
    const [{ key: id, ...other } = expect.unreachable()] = jsonOf(Key, second);
    expect(other.scopes).toEqual(["messages:read"]);
    expect(await statusWith(other.secret)).toBe(403);

    const listed = await command("key", "list", ACCOUNT);
    expect(listed.errors).toBe("Keys listed: 2.\n");
    const used = expect.stringMatching(/^last used \d{4}-\d\d-\d\dT\d\d:00:00\.000Z by program$/);
    expect(columns(listed)).toEqual([
      ["My manager", "messages:read", used, id],
      ["My manager", "aliases:create, aliases:read", used, expect.stringMatching(/^[a-z2-7]{26}$/)],
    ]);
    for (const text of [secret, other.secret]) expect(listed.output).not.toContain(text);

    const NOTHING = "Nothing was changed.";
    expect(await create("My manager", "aliases")).toEqual(
      refused(
        "SCOPE is one of aliases:create, aliases:read, aliases:write, recipients:read, messages:read. No key was created.",
      ),
    );
    expect(await create(" ", "aliases:read")).toEqual(refused("NAME must not be empty. No key was created."));
    expect(await command("key", "delete", ACCOUNT, "My manager")).toEqual(
      refused(
        `Several keys of the account have this name: name one by its id, as \`key list\` shows. ${NOTHING}`,
      ),
    );
    for (const args of [
      [ACCOUNT, "Mine"],
      [OTHER, id],
    ])
      expect(await command("key", "delete", ...args)).toEqual(
        refused(`The account has no such key: \`key list\` shows them. ${NOTHING}`),
      );
    const without = { ...variables, POSTERN_KEYS_PORT: "", POSTERN_KEYS_URL: "" };
    expect(await runHere(without, "key", "create", ACCOUNT, "Mine", "aliases:read")).toEqual(
      refused(
        "Servers take no keys: set POSTERN_KEYS_PORT and POSTERN_KEYS_URL, and restart them. No key was created.",
      ),
    );

    expect(await command("key", "delete", ACCOUNT, id)).toMatchObject({ status: 0 });
    expect(await command("key", "delete", ACCOUNT, "My manager")).toEqual({
      status: 0,
      output: "",
      errors: "Deleted: servers refuse the key within 10 seconds.\n",
    });
    tenSecondsLater();
    await expect.poll(() => statusWith(secret)).toBe(401);
    expect(await command("key", "list", ACCOUNT)).toEqual({
      status: 0,
      output: "",
      errors: "Keys listed: 0.\n",
    });
  });
});
