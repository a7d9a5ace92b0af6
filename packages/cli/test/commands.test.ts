import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { newDirectory } from "@postern/test-support/new-directory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { codeOf, stepAt } from "../../trial/src/identity-provider/totp.ts";
import { begin, type Ended, lineOnTerminal, onTerminal, run, runUnread } from "./support/program.ts";
import { startTrial, type Trial } from "./support/trial.ts";

/** The clients of the trial's identity provider. */
const COMMAND_LINE = "5posterntrial0command0line";
const ROTATING = "5posterntrial0browser0app0";

const NEW_PASSWORD = "Correct horse 1 ü";

let trial: Trial;
beforeAll(async () => {
  trial = await startTrial();
});
afterAll(() => trial?.stop());

/** Where one person's session is. */
type Home = { readonly XDG_STATE_HOME: string };

const newHome = (): Home => ({ XDG_STATE_HOME: newDirectory() });

const fileOf = ({ XDG_STATE_HOME }: Home): string => join(XDG_STATE_HOME, "postern/session.json");

const stored = (home: Home) => JSON.parse(readFileSync(fileOf(home), "utf8"));

const change = (home: Home, tokens: object) => {
  const session = stored(home);
  writeFileSync(fileOf(home), JSON.stringify({ ...session, tokens: { ...session.tokens, ...tokens } }));
};

const settings = (client = COMMAND_LINE): readonly string[] => [
  ...["--url", trial.api, "--issuer", trial.issuer, "--client-id", client],
];

const login = async (home: Home, client = COMMAND_LINE): Promise<Ended> =>
  run(
    home,
    ["login", ...settings(client), "--username", "demo@postern.example", "--password-stdin"],
    "Demo-password-1\n",
  );

const newcomer = newHome();
const careful = newHome();

/** Runs a command as the newcomer, whose account has what the tests create. */
const postern = (...args: readonly string[]): Promise<Ended> => run(newcomer, args);

/** What a command writes that must succeed. */
const output = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await postern(...args);
  if (code !== 0) expect.unreachable(`${args.join(" ")}: ${code} ${stderr}`);
  return stdout;
};

const objects = (text: string): unknown[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A member of an object in JSON that is a text without quotes. */
const memberOf = (json: string, name: string): string =>
  new RegExp(`"${name}":"([^"]+)"`).exec(json)?.[1] ?? expect.unreachable(`there is no ${name} in ${json}`);

describe("signing in", () => {
  test("on a terminal, whoever has a temporary password chooses another one, and is not shown either", async () => {
    const shown = await onTerminal(
      newcomer,
      ["login", ...settings()],
      [
        ["User name", "new@postern.example\r"],
        ["Password", "Temporary-password-1\r"],
        ["New password", "too short\r"],
        ["The new password again", "too short\r"],
        ["does not allow this password", ""],
        ["New password", `${NEW_PASSWORD}\r`],
        ["The new password again", "Something else 1\r"],
        ["They are not the same", ""],
        ["New password", `${NEW_PASSWORD}\r`],
        ["The new password again", `${NEW_PASSWORD}\r`],
      ],
    );
    expect(shown).toContain(`You are signed in to ${trial.api} as new@postern.example.`);
    expect(shown).toContain("exit code 0");
    expect(shown).not.toMatch(/Temporary-password|Correct horse|too short/);
    expect(statSync(fileOf(newcomer)).mode & 0o777).toBe(0o600);
  });

  test("whoever has an authenticator app enters its code, and may mistype it", async () => {
    const code = () => Promise.resolve(`${codeOf("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", stepAt(Date.now()))}\r`);
    const shown = await onTerminal(
      careful,
      ["login", ...settings(), "--username", "careful@postern.example"],
      [
        ["Password", "Careful-password-1\r"],
        ["Code of your authenticator app", "12345x\r"],
        ["not the right code", ""],
        ["Code of your authenticator app", code],
      ],
    );
    expect(shown).toContain("as careful@postern.example.");
    expect(shown).toContain("exit code 0");
  });

  test("with the password on standard input, once the server is known without its settings", async () => {
    const home = newHome();
    expect(await login(home)).toMatchObject({ code: 0, stdout: "" });
    const { refreshToken } = stored(home).tokens;
    expect(await run(home, ["logout"])).toMatchObject({ code: 0, stderr: "You are signed out.\n" });
    expect(stored(home).tokens).toBeNull();
    expect(await run(home, ["whoami"])).toMatchObject({ code: 3, stdout: "" });

    const again = ["login", "--username", "demo@postern.example", "--password-stdin", "--json"];
    expect(await run(home, again, "Demo-password-1")).toMatchObject({
      code: 0,
      stdout: `{"url":"${trial.api}","name":"demo@postern.example"}\n`,
    });
    // The session that has ended was revoked.
    change(home, { refreshToken, expiresAt: 0 });
    const { code, stderr } = await run(home, ["whoami"]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^signed_out: .*postern login/)]);
  });

  test("a wrong password and an unknown user are the same", async () => {
    const home = newHome();
    const attempts = ["demo@postern.example", "nobody@postern.example"].map((name) =>
      run(home, ["login", ...settings(), "--username", name, "--password-stdin"], "Wrong-password-1"),
    );
    const [one, other] = await Promise.all(attempts);
    expect(one).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^wrong_credentials: /) });
    expect(other).toEqual(one);
    expect(await run(home, ["whoami"])).toMatchObject({ code: 2 });
  });

  test("nobody is asked without a terminal", async () => {
    const { code, stderr } = await run(newHome(), ["login", ...settings()]);
    expect(code).toBe(2);
    expect(stderr).toContain("--username");
  });

  test("two at once leave one session that works", async () => {
    const home = newHome();
    const ended = await Promise.all([login(home), login(home)]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(await run(home, ["whoami", "-q"])).toMatchObject({
      code: 0,
      stdout: "5ac1a5e5-0000-4000-8000-000000000000\n",
    });
  });

  test("where nothing can be stored, nobody is asked for a password; POSTERN_TOKEN works", async () => {
    const home = newHome();
    await login(home);
    const { idToken } = stored(home).tokens;
    const nowhere = { XDG_STATE_HOME: "/dev/null" };
    expect(await login(nowhere)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^session_not_writable: .*POSTERN_TOKEN/),
    });
    const variables = { ...nowhere, POSTERN_URL: trial.api, POSTERN_TOKEN: idToken };
    expect(await run(variables, ["whoami", "--json"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"name":"demo@postern.example"'),
    });
  });

  test("whoever else can read the session, or has made it unreadable, is told apart", async () => {
    const home = newHome();
    await login(home);
    chmodSync(fileOf(home), 0o644);
    expect(await run(home, ["whoami"])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^session_not_private: .*others can read it \(mode 644\)/),
    });
    expect(await login(home)).toMatchObject({ code: 0 });
    expect(await run(home, ["whoami"])).toMatchObject({ code: 0 });
  });
});

describe("renewing", () => {
  test("processes that renew a session at once share it, also if each refresh token works once", async () => {
    const home = newHome();
    await login(home, ROTATING);
    for (let round = 0; round < 2; round += 1) {
      const before = stored(home).tokens;
      change(home, { expiresAt: Date.now() });
      const ended = await Promise.all(Array.from({ length: 5 }, () => run(home, ["whoami", "-q"])));
      expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(5).fill([0, ""]));
      expect(stored(home).tokens.refreshToken).not.toBe(before.refreshToken);
    }
  });

  test("a token that the server refuses is renewed, whatever the clock says", async () => {
    const home = newHome();
    await login(home);
    const { idToken } = stored(home).tokens;
    const refused = `${idToken.slice(0, -4)}AAAA`;
    change(home, { idToken: refused, expiresAt: Date.now() + 3_600_000 });
    expect(await run(home, ["alias", "list", "-q", "--limit", "0"])).toMatchObject({ code: 0 });
    expect(await run(home, ["whoami", "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect(stored(home).tokens.idToken).not.toBe(refused);
  });
});

describe("in a browser", () => {
  /** Does what a person does on the trial's page, and returns what the program answers. */
  const signInOnPage = async (url: string) => {
    const fields = { username: "demo@postern.example", password: "Demo-password-1" };
    const page = await fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
    const callback = page.headers.get("location") ?? "";
    const strangers = ["/", "/callback", "/callback?code=x&state=y"].map((path) =>
      fetch(new URL(path, callback)),
    );
    const statuses = (await Promise.all(strangers)).map(({ status }) => status);
    return { statuses, answer: await (await fetch(callback)).text() };
  };

  const pageOf = async (program: ReturnType<typeof begin>): Promise<string> => {
    await expect.poll(program.stderr).toMatch(/\n {2}http\S+\n/);
    return /\n {2}(http\S+)\n/.exec(program.stderr())?.[1] ?? "";
  };

  test("the page of the provider opens, and only what answers it signs in", async () => {
    const home = newHome();
    // What opens pages: it writes down which.
    const bin = newDirectory();
    writeFileSync(join(bin, "xdg-open"), '#!/bin/sh\necho "$1" > "$(dirname "$0")/opened"\n', {
      mode: 0o755,
    });
    const program = begin({ ...home, PATH: `${bin}:${process.env["PATH"]}` }, [
      "login",
      ...settings(),
      "--browser",
    ]);
    const url = await pageOf(program);
    await expect.poll(() => readFileSync(join(bin, "opened"), "utf8")).toBe(`${url}\n`);
    expect(url).toMatch(/redirect_uri=http%3A%2F%2Flocalhost%3A897[678]%2Fcallback/);
    expect(await signInOnPage(url)).toEqual({
      statuses: [404, 400, 400],
      answer: "You are signed in. Close this window, and return to the terminal.\n",
    });
    expect(await program.ended()).toBe(0);
    change(home, { expiresAt: 0 });
    expect(await run(home, ["whoami", "-q"])).toMatchObject({ code: 0 });
    expect(await run(home, ["logout", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("two at once use different ports", async () => {
    const programs = [0, 1].map(() => begin(newHome(), ["login", ...settings(), "--browser"]));
    const urls = await Promise.all(programs.map(pageOf));
    expect(new Set(urls.map((url) => new URL(url).searchParams.get("redirect_uri"))).size).toBe(2);
    await Promise.all(urls.map(signInOnPage));
    expect(await Promise.all(programs.map(({ ended }) => ended()))).toEqual([0, 0]);
  });

  test("what the provider refuses, the terminal says", async () => {
    const program = begin(newHome(), ["login", ...settings(), "--browser", "--scope", "openid nonsense"]);
    const page = await fetch(await pageOf(program));
    expect(await page.text()).toBe("You are not signed in. The terminal says why.\n");
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toMatch(/^misconfigured: .*\(invalid_scope\)$/m);
  });
});

test("the life of an alias", async () => {
  expect(await output("recipient", "add", "alan@example.com")).toBe("alan@example.com\n");
  expect(objects(await output("recipient", "add", "Mary@example.com", "--json"))).toMatchObject([
    { recipient_email: "Mary@example.com", verified: false },
  ]);
  const unverified = await postern("alias", "new", "--to", "alan@example.com", "--to", "mary@EXAMPLE.com");
  expect(unverified).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "recipients_ineligible: They cannot receive mail, so nothing was changed:\n" +
      "  alan@example.com: unverified\n  Mary@example.com: unverified\n",
  });
  for (const mailbox of ["alan@example.com", "Mary@example.com"]) {
    await output("recipient", "verify", await trial.link(mailbox));
  }
  expect(await output("recipient", "list")).toBe(
    "Mary@example.com\tready\t0\t\nalan@example.com\tready\t0\t\n",
  );

  expect(await output("alias", "new", "parcels", "--to", "alan@example.com")).toBe(
    "parcels@postern.example\n",
  );
  const generated = await output(
    "alias",
    "new",
    "--to",
    "alan@example.com",
    "--format",
    "words",
    "--description",
    "A",
  );
  expect(generated).toMatch(/^[a-z]+(-[a-z]+)+@postern\.example\n$/);
  expect(await postern("alias", "new", "PARCELS@postern.example", "--to", "alan@example.com")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^address_taken: /),
  });
  expect(await output("alias", "list", "parcels")).toBe("parcels@postern.example\ton\talan@example.com\t\n");
  expect(await output("alias", "list", "-q", "--to", "alan@example.com")).toBe(
    `${generated}parcels@postern.example\n`,
  );
  expect(await output("alias", "list", "-q", "--limit", "1")).toBe(generated);
  expect(await output("alias", "show", "Parcels@Postern.example")).toMatch(
    /^alias: +parcels@postern\.example\nstate: +on\n/,
  );

  const replaced = await postern(
    "alias",
    "to",
    "parcels@postern.example",
    "mary@example.com",
    "alan@example.com",
    "--yes",
  );
  expect(replaced).toEqual({
    code: 0,
    stdout: "",
    stderr:
      "parcels@postern.example forwards\n  before: alan@example.com\n" +
      "  after:  +Mary@example.com, alan@example.com\nReplaced.\n",
  });
  expect(await output("alias", "recipients", "parcels@postern.example", "-q")).toBe(
    "Mary@example.com\nalan@example.com\n",
  );
  const same = ["alias", "to", "parcels@postern.example", "mary@example.com", "alan@example.com", "--yes"];
  expect((await postern(...same)).stderr).toMatch(/already had these recipients/);

  await output("alias", "describe", "parcels@postern.example", "Shops, \u202eall of them");
  await output("alias", "off", "parcels@postern.example");
  expect(await output("alias", "list", "--off")).toBe(
    "parcels@postern.example\toff\tMary@example.com, alan@example.com\tShops, \\u{202e}all of them\n",
  );
  expect(objects(await output("alias", "on", "parcels@postern.example", "--json"))).toMatchObject([
    { alias_email: "parcels@postern.example", active: true, description: "Shops, \u202eall of them" },
  ]);

  await output(
    "alias",
    "rules",
    "parcels@postern.example",
    "--accept-from",
    "listed",
    "--add-sender",
    "a.example",
  );
  await output(
    ...[
      "alias",
      "rules",
      "parcels@postern.example",
      "--add-sender",
      "b.example",
      "--remove-sender",
      "a.example",
    ],
    ...["--until", "2100-01-31T18:00Z", "--messages", "7"],
  );
  const rules = {
    accept_from: "listed",
    senders: ["b.example"],
    active_until: Date.parse("2100-01-31T18:00Z"),
    messages_left: 7,
  };
  expect(objects(await output("alias", "rules", "parcels@postern.example", "--json"))).toEqual([rules]);
  const reset = await output(
    "alias",
    "rules",
    "parcels@postern.example",
    "--until",
    "never",
    "--messages",
    "unlimited",
  );
  expect(reset).toMatch(/^ends: +never\nmessages left: unlimited\n/m);
  await output("alias", "rules", "parcels@postern.example", "--accept-from", "everybody");

  expect((await postern("alias", "delete", "parcels@postern.example")).code).toBe(2);
  await output("alias", "delete", "parcels@postern.example", "-y");
  expect(await output("alias", "list", "--deleted", "-q")).toBe("parcels@postern.example\n");
  expect(await postern("alias", "off", "parcels@postern.example")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^alias_deleted: /),
  });
  await output("alias", "restore", "parcels@postern.example", "--to", "alan@example.com");
  expect(await output("alias", "list", "parcels")).toMatch(/\ton\talan@example\.com\t/);
});

test("recipients: moved, off and on, deleted; their messages stopped", async () => {
  expect(await postern("recipient", "off", "alan@example.com")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^recipient_attached: .*\n {2}It is attached to 2 aliases/),
  });
  await output("recipient", "move", "alan@example.com", "mary@example.com", "--yes");
  await output("recipient", "off", "alan@example.com");
  expect(await output("recipient", "list")).toContain("alan@example.com\toff\t0\t\n");
  await output("recipient", "on", "alan@example.com");
  expect(await output("recipient", "show", "ALAN@example.com")).toMatch(
    /^recipient: +alan@example\.com\nstate: +ready\n/,
  );
  expect(objects(await output("recipient", "resend", "alan@example.com", "--json"))).toMatchObject([
    { verification_mail: "not_needed" },
  ]);
  await output("recipient", "delete", "alan@example.com", "-y");
  expect((await postern("recipient", "show", "alan@example.com")).stderr).toMatch(/^recipient_not_found: /);

  await output("recipient", "add", "stop@example.com");
  const link = await trial.link("stop@example.com");
  expect((await postern("recipient", "verify", link, "--suppress")).code).toBe(2);
  await output("recipient", "verify", link, "--suppress", "--yes");
  await output("recipient", "delete", "stop@example.com", "-y");
  expect((await postern("recipient", "add", "stop@example.com")).stderr).toMatch(/^mailbox_suppressed: /);
  expect((await postern("recipient", "verify", `${trial.api}/recipients/verify?token=x`)).stderr).toMatch(
    /^link_invalid: /,
  );
  expect((await postern("recipient", "verify", "x")).code).toBe(2);
});

/** Sends a message over SMTP. */
const send = (from: string, to: string) =>
  promisify(execFile)("sh", [
    "-c",
    `printf '%s\\n' "From: $1" "To: $2" 'Subject: Hello' '' 'Hello.' |
      curl -sS "smtp://127.0.0.1:$3" --mail-from "$1" --mail-rcpt "$2" --crlf -T -`,
    ...["sh", from, to, `${trial.mailPort}`],
  ]);

test("messages, contacts and blocked senders", async () => {
  const alias = "parcels@postern.example";
  await send("bob@shop.example", alias);
  await trial.message("Mary@example.com", 2);
  await expect
    .poll(() => output("message", "list", alias), { interval: 500 })
    .toMatch(/\treceived\tbob@shop\.example\t(sent|delivered)\t/);
  const id = (await output("message", "list", alias, "-q")).trim();
  expect(await output("message", "show", alias, id)).toMatch(
    /^copies: +Mary@example\.com (sent|delivered)$/m,
  );
  expect(await postern("message", "resend", alias, id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^message_not_kept: /),
  });

  // The sample data of the trial has messages that did not arrive.
  const demo = newHome();
  await login(demo);
  const failed = ["message", "list", "newsletters@postern.example"];
  await expect.poll(async () => (await run(demo, failed)).stdout, { interval: 500 }).toMatch(/\tbounced\t/);
  const { stdout } = await run(demo, failed);
  const [, bounced = ""] = /\tbounced\t.*\t(\w+)$/m.exec(stdout) ?? [];
  expect(await run(demo, ["message", "resend", "newsletters@postern.example", bounced])).toMatchObject({
    code: 0,
    stdout: "",
  });

  await output("contact", "block", alias, "bob@shop.example", "--discard");
  expect(await output("contact", "list", alias)).toMatch(/^bob@shop\.example\tdiscard\t20/);
  await output("contact", "unblock", alias, "bob@shop.example");
  expect(await output("contact", "show", alias, "BOB@shop.example")).toMatch(/^blocking: +none$/m);
  expect(await output("contact", "add", alias, "eve@shop.example")).toMatch(
    /^r-[a-z2-7]{26}@postern\.example\n$/,
  );
  expect((await postern("contact", "show", alias, "nobody@shop.example")).stderr).toMatch(
    /^contact_not_found: /,
  );

  await output("block", "add", "Spam.example");
  expect(await output("block", "list", "-q")).toBe("spam.example\n");
  await output("block", "remove", "SPAM.example");
  expect(await output("block", "list")).toBe("");
  expect((await postern("block", "remove", "spam.example")).code).toBe(1);
});

test("a webhook's secret is written once", async () => {
  const url = "https://hooks.example/postern";
  const added = await postern("webhook", "add", url, "--event", "alias.updated", "message.failed", "--quiet");
  expect(added).toEqual({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/), stderr: "" });
  const { stdout: other, stderr } = await postern("webhook", "add", `${url}/2`, "--event", "alias.created");
  expect(other).toMatch(/^whsec_\S+\n$/);
  expect(stderr).not.toContain(other.trim());
  const [id = ""] = /[a-z2-7]{26}/.exec(stderr) ?? [];

  await output("webhook", "off", url);
  await output("webhook", "change", id, "--to", `${url}/3`, "--event", "alias.deleted");
  const listed = await output("webhook", "list", "--json");
  expect(objects(listed)).toMatchObject([
    { webhook_id: id, url: `${url}/3`, events: ["alias.deleted"], active: true },
    { url, active: false, off_reason: "owner" },
  ]);
  await output("webhook", "on", url);
  const shown = await output("webhook", "show", url);
  expect(shown).toMatch(/^state: +on$/m);
  for (const secret of [added.stdout.trim(), other.trim()]) expect(listed + shown).not.toContain(secret);
  // Nobody can be reached there.
  expect(await postern("webhook", "test", url)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^not_delivered: /m),
  });
  await output("webhook", "delete", url, "-y");
  await output("webhook", "delete", id, "-y");
  expect(await output("webhook", "list")).toBe("");
});

describe("keys for programs", () => {
  /** Creates a key, and returns what a program with it has in its environment. */
  const keyFor = async (...scopes: readonly string[]) => {
    const secret = await output("key", "create", "A script", ...scopes.flatMap((each) => ["--scope", each]));
    return { ...newHome(), POSTERN_URL: trial.keys, POSTERN_TOKEN: secret.trim() };
  };

  test("whoever creates one is told what to do with it, and sees the secret once", async () => {
    const words = ["key", "create", "My manager", "--scope", "aliases:create,aliases:read"];
    const created = await postern(...words, "--expires", "2100-01-31T18:00Z", "--to", "MARY@example.com");
    expect(created).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^pk_[0-9A-Za-z]{40}\n$/),
      stderr: expect.stringMatching(
        /^Copy the key above now.*\n {2}the address of the server: (\S+)\n.*can create aliases and see your aliases until 2100-01-31T18:00:00\.000Z\..*postern key delete [a-z2-7]{26}\n$/s,
      ),
    });
    const secret = created.stdout.trim();
    expect(created.stderr).toContain(`${trial.keys}\n`);
    expect(created.stderr).not.toContain(secret);
    const other = await output("key", "create", "my manager", "--scope", "messages:read", "--json");
    expect(objects(other)).toMatchObject([{ name: "my manager", secret: expect.stringMatching(/^pk_/) }]);
    const id = memberOf(other, "key_id");

    const listed = await output("key", "list");
    expect(listed.split("\n").map((line) => line.split("\t").slice(0, 5))).toEqual([
      ["my manager", "messages:read", "", "", "never"],
      ["My manager", "aliases:create, aliases:read", "", "", "2100-01-31T18:00:00.000Z"],
      [""],
    ]);
    expect(await output("key", "list", "--quiet")).toMatch(new RegExp(`^${id}\\n[a-z2-7]{26}\\n$`));
    expect(await output("key", "list", "--json")).not.toContain(secret);

    // Named by its secret, by a name that two have but for their case, and by none.
    const named = await postern("key", "delete", secret, "--yes");
    expect(named).toMatchObject({ code: 2, stderr: expect.not.stringContaining(secret) });
    expect(await postern("key", "delete", "MY MANAGER", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^postern: Several keys are called MY MANAGER/),
    });
    expect(await postern("key", "delete", "My managr", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^key_not_found: .*postern key list/),
    });
    expect((await postern("key", "delete", "My manager")).code).toBe(2);
    expect((await postern("key", "delete", "My manager", "--yes")).stderr).toMatch(
      /^The key My manager is deleted/,
    );
    await output("key", "delete", id, "--yes");
    expect(await output("key", "list")).toBe("");
  });

  test("what cannot be created is refused, with what is wrong", async () => {
    const words = ["key", "create", "A script", "--scope", "aliases:create"];
    const refused = (code: string) => ({ code: 1, stdout: "", stderr: expect.stringMatching(code) });
    expect(await postern(...words, "--expires", "2020-01-31")).toEqual(
      refused("^invalid_request: .*\n {2}/expires must be in the future\n$"),
    );
    expect(await postern(...words, "--domain", "elsewhere.example")).toEqual(
      refused("^address_not_allowed: "),
    );
    expect(await postern(...words, "--to", "nobody@example.com")).toEqual(refused("^recipient_not_found: "));
    expect(await postern(...words, "--to", "nobody")).toEqual(
      refused("^recipients_ineligible: .*\n  nobody: unknown\n$"),
    );
    expect(await output("key", "list")).toBe("");
  });

  test("with a key, commands do what its scopes allow, until it is deleted", async () => {
    const program = await keyFor("aliases:create");
    const id = memberOf(await output("recipient", "show", "mary@example.com", "--json"), "recipient_id");
    expect(await run(program, ["alias", "new", "by-a-script", "--to", id])).toMatchObject({
      code: 0,
      stdout: "by-a-script@postern.example\n",
    });
    const refused = { code: 1, stdout: "", stderr: expect.stringMatching(/^insufficient_scope: /) };
    for (const args of [
      ["alias", "new", "--to", "mary@example.com"],
      ["alias", "list"],
      ["alias", "show", "an-id"],
      ["alias", "off", "an-id"],
      ["recipient", "list"],
      ["message", "list", "an-id"],
    ])
      expect(await run(program, args)).toEqual(refused);
    // What no key may.
    for (const args of [
      ["key", "list"],
      ["recipient", "add", "eve@example.com"],
      ["block", "list"],
      ["webhook", "list"],
    ])
      expect(await run(program, args)).toMatchObject({ code: 1, stdout: "" });
    expect(await run(program, ["service", "-q"])).toMatchObject({ code: 0, stdout: "postern.example\n" });
    expect(await run(program, ["whoami"])).toMatchObject({
      code: 0,
      stdout: `name:   a key\nserver: ${trial.keys}\n`,
    });

    const reader = await keyFor("aliases:read", "aliases:write", "recipients:read", "messages:read");
    const alias = "by-a-script@postern.example";
    expect((await run(reader, ["alias", "to", alias, "mary@example.com", "-y"])).stderr).toMatch(
      /already had/,
    );
    for (const args of [
      ["alias", "list"],
      ["alias", "show", alias],
      ["alias", "off", alias],
      ["alias", "website", alias, "shop.example"],
      ["alias", "rules", alias, "--messages", "5"],
      ["contact", "add", alias, "bob@shop.example"],
      ["contact", "block", alias, "bob@shop.example"],
      ["message", "list", alias],
      ["recipient", "show", "mary@example.com"],
      ["alias", "delete", alias, "--yes"],
    ])
      expect([args, await run(reader, args)]).toEqual([args, expect.objectContaining({ code: 0 })]);
    expect(await output("key", "list")).toMatch(/^A script\t.*\t20\S+:00:00\.000Z\tprogram\tnever\t/);

    for (const key of (await output("key", "list", "-q")).split("\n").filter(Boolean))
      await output("key", "delete", key, "--yes");
    await expect
      .poll(() => run(reader, ["alias", "list"]), { timeout: 120_000, interval: 1000 })
      .toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^unauthorized: /) });
  });

  test("a key at the address of the API, and a token where keys work: 3, and which address it is for", async () => {
    const program = await keyFor("aliases:read");
    const elsewhere = await run({ ...program, POSTERN_URL: trial.api }, ["alias", "list"]);
    expect(elsewhere).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Keys work at one address only"),
    });
    expect(elsewhere.stderr).not.toContain(program.POSTERN_TOKEN);
    const { idToken } = stored(newcomer).tokens;
    expect(await run({ ...program, POSTERN_TOKEN: idToken }, ["alias", "list"])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^unauthorized: .*key/),
    });
  });
});

test("the website of an alias, and the default recipient", async () => {
  const alias = await output("alias", "new", "--to", "mary@example.com", "--website", "Shop.Example");
  expect(objects(await output("alias", "show", alias.trim(), "--json"))).toMatchObject([
    { alias_email: alias.trim(), website: "shop.example" },
  ]);
  expect(await output("alias", "list", "shop.example", "-q")).toBe(alias);
  expect((await postern("alias", "website", alias.trim(), "")).stderr).toBe("It is for no website.\n");
  expect(await output("alias", "show", alias.trim())).not.toContain("website");
  await output("alias", "delete", alias.trim(), "-y");

  expect((await postern("recipient", "default", "MARY@example.com")).stderr).toBe(
    "What password managers create forwards to Mary@example.com.\n",
  );
  expect(await output("recipient", "show", "mary@example.com")).toMatch(/^default since: 20/m);
  expect((await postern("recipient", "default", "mary@example.com", "--unset")).code).toBe(0);
  expect(await output("recipient", "show", "mary@example.com")).not.toContain("default since");
});

test("what the server and the program are", async () => {
  expect(await output("service", "-q")).toBe("postern.example\n");
  expect(objects(await output("service", "--json"))).toMatchObject([{ limits: { aliases: 10_000 } }]);
  expect(objects(await output("health", "--json"))).toEqual([{ status: "ok" }]);
  expect(await output("config")).toBe(
    [
      `url\t${trial.api}\tlogin`,
      `issuer\t${trial.issuer}\tlogin`,
      `client_id\t${COMMAND_LINE}\tlogin`,
      "token\tstored\tlogin",
      `session\t${fileOf(newcomer)}\tXDG_STATE_HOME`,
      "",
    ].join("\n"),
  );
});

describe("on a terminal", () => {
  test("a table fits it, and has colors unless NO_COLOR is set", async () => {
    await output("alias", "describe", "parcels@postern.example", "漢字".repeat(40));
    const shown = await onTerminal(newcomer, ["alias", "list"]);
    const [titles = "", ...rows] = shown.split("exit code")[0]?.trimEnd().split("\r\n") ?? [];
    expect(titles).toMatch(/^ALIAS +STATE +FORWARDS TO +DESCRIPTION$/);
    expect(rows).toHaveLength(2);
    expect(rows.join("\n")).toMatch(/^parcels@postern\.example +on +Mary@example\.com +(漢字)+漢?…$/m);
    expect(shown).not.toContain("\u001b[");
    const colored = await onTerminal({ ...newcomer, NO_COLOR: "" }, ["alias", "list"]);
    expect(colored).toContain("\u001b[32mon");
  });

  const change = ["alias", "to", "parcels@postern.example", "edsger@example.com", "mary@example.com"];

  test("Ctrl-C in a question changes nothing, and leaves the terminal as it was", async () => {
    await output("recipient", "add", "edsger@example.com");
    await output("recipient", "verify", await trial.link("edsger@example.com"));
    const untouched = await onTerminal(newcomer, ["config"]);
    const settingsOf = (text: string) => /^speed.*/ms.exec(text)?.[0];
    const canceled = await onTerminal(newcomer, change, [["Replace the recipients?", "\u0003"]]);
    expect(canceled).toMatch(
      /before: Mary@example\.com\r\n {2}after: {2}\+edsger@example\.com, Mary@example\.com/,
    );
    expect(canceled).toContain("exit code 130");
    expect(settingsOf(canceled)).toBe(settingsOf(untouched));
    expect(canceled).toContain("\u001b[?25h");
  });

  test("what was shown is what is replaced, or nothing", async () => {
    const refused = await onTerminal(newcomer, change, [
      [
        "Replace the recipients?",
        async () => {
          await output("alias", "to", "parcels@postern.example", "edsger@example.com", "--yes");
          return "y";
        },
      ],
    ]);
    expect(refused).toContain("precondition_failed: ");
    expect(refused).toContain("exit code 1\r");
    expect(await output("alias", "recipients", "parcels@postern.example", "-q")).toBe("edsger@example.com\n");

    const declined = await onTerminal(newcomer, change, [["Replace the recipients?", "n"]]);
    expect(declined).toContain("canceled: Nothing was changed.");
    const accepted = await onTerminal(newcomer, change, [["Replace the recipients?", "y"]]);
    expect(accepted).toContain("Replaced.");
    expect(accepted).toContain("exit code 0");
  });
});

describe("exit codes and standard output", () => {
  test.each([
    [["alias", "list", "--jsno"], /^postern: unknown option '--jsno'\n\(Did you mean --json\?\)\n$/],
    [["alais", "list"], /^postern: unknown command 'alais'\n\(Did you mean alias\?\)\n$/],
    [["alias", "lst"], /^postern: unknown command 'lst'\n\(Did you mean list\?\)\n$/],
    [["alias", "to", "a@b.example"], /^postern: missing required argument 'recipients'\n$/],
    [["alias", "list", "--limit", "-1"], /whole number/],
    [["alias", "list", "--on", "--off"], /^postern: --on and --off exclude each other/],
    [["alias", "new", "--to", "x", "--format", "emoji"], /Allowed choices are random, words, uuid/],
    [["webhook", "add", "https://x.example", "--event", "alias.eaten"], /Allowed choices are alias\.created/],
    [
      ["key", "create", "A script"],
      /^postern: Say what the program may do\. For a password manager: --scope aliases:create\./,
    ],
    [
      ["key", "create", "A script", "--scope", "alias:create"],
      /Allowed choices are aliases:create, aliases:read/,
    ],
    [["key", "create", "--scope", "aliases:create"], /^postern: missing required argument 'name'/],
    [
      ["key", "create", "A script", "--scope", "aliases:read", "--expires", "soon"],
      /It must be a time such as/,
    ],
    [["health", "--url", "http://postern.example"], /^postern: --url must begin with https:\/\//],
    [["health", "--url", "https://a:b@postern.example"], /^postern: --url must be the address of a server/],
    [["health", "--url", "postern.example"], /^postern: --url must be the address of a server/],
    [["health"], /^postern: No server is known/],
    [["login"], /^postern: Give --url/],
  ])("%j is wrong usage", async (args, expected) => {
    const ended = await run(newHome(), args);
    expect(ended).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(expected) });
  });

  test.each([[[]], [["--help"]], [["alias"]], [["alias", "to", "--help"]], [["help", "alias"]]])(
    "%j shows help on standard output",
    async (args) => {
      const ended = await run(newHome(), args);
      expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: postern /), stderr: "" });
    },
  );

  test.each([
    'a"b@postern.example',
    "😀@postern.example",
    `${"x".repeat(240)}@a.example`,
    "x@münchen.example",
  ])("there is no alias %s", async (name) => {
    expect(await postern("alias", "show", name)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^alias_not_found: /),
    });
  });

  test.each(["..", "a/b", "%2e%2e", " "])("an id cannot lead elsewhere: %j", async (id) => {
    expect(await postern("alias", "show", id)).toMatchObject({ code: 1, stdout: "" });
  });

  test("a token that the server does not accept: 3", async () => {
    const variables = { ...newHome(), POSTERN_URL: trial.api, POSTERN_TOKEN: "a.b.c" };
    expect(await run(variables, ["alias", "list"])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^unauthorized: /),
    });
  });

  test("a server that cannot be reached, or something else there: 4", async () => {
    const server = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const variables = { ...newHome(), POSTERN_URL: `http://127.0.0.1:${port}`, POSTERN_TOKEN: "a.b.c" };
    const unreachable = { code: 4, stdout: "", stderr: expect.stringMatching(/^unreachable: /) };
    expect(await run(variables, ["alias", "list"])).toMatchObject(unreachable);
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    expect(await run(variables, ["health"])).toMatchObject(unreachable);
  });

  test("an identity provider that cannot be reached: 4, and the session stays", async () => {
    const home = newHome();
    await login(home);
    change(home, { expiresAt: 0 });
    const session = stored(home);
    writeFileSync(
      fileOf(home),
      JSON.stringify({ ...session, issuer: "http://127.0.0.1:1/us-east-1_PosternTr" }),
    );
    expect(await run(home, ["alias", "list"])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^unreachable: /),
    });
    writeFileSync(fileOf(home), JSON.stringify(session));
    expect(await run(home, ["whoami"])).toMatchObject({ code: 0 });
  });

  test("the token of one server is never sent to another", async () => {
    const requests: string[] = [];
    const server = createServer(({ url }, response) => {
      requests.push(`${url}`);
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    expect(await postern("alias", "list", "--url", url)).toMatchObject({ code: 3 });
    expect(await run({ ...newcomer, POSTERN_URL: url }, ["whoami"])).toMatchObject({ code: 3 });
    expect(requests).toEqual([]);
    server.close();
  });

  test("nobody reads on: no complaint; a full disk: a complaint", async () => {
    for (const args of [["alias", "list", "--json"], ["alias", "list"], ["--help"]]) {
      expect(await runUnread(newcomer, args)).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    const full = promisify(execFile)(
      "sh",
      ["-c", '"$@" > /dev/full', "sh", process.execPath, "src/main.ts", "alias", "list"],
      {
        cwd: join(import.meta.dirname, ".."),
        env: { PATH: process.env["PATH"], ...newcomer },
      },
    );
    await expect(full).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOSPC: /) });
  });

  test("a home without the folders in between", async () => {
    const home = { XDG_STATE_HOME: join(newDirectory(), "a/b/c") };
    mkdirSync(join(home.XDG_STATE_HOME, ".."), { recursive: true });
    expect(await login(home)).toMatchObject({ code: 0 });
  });
});

test.each(["bash", "zsh", "fish", "powershell"])("completion for %s", async (shell) => {
  const { code, stdout, stderr } = await run(newHome(), ["completion", shell]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("postern complete");
  if (shell === "bash" || shell === "zsh") {
    const script = join(newDirectory(), "completion");
    writeFileSync(script, stdout);
    await promisify(execFile)(shell, ["-n", script]);
  }
});

test("commands, options and their values are completed", async () => {
  const complete = async (...words: readonly string[]) =>
    (await run(newHome(), ["complete", "--", ...words])).stdout
      .split("\n")
      .filter((line) => line.includes("\t"))
      .map((line) => line.split("\t")[0]);
  expect(await complete("al")).toEqual(["alias"]);
  expect(await complete("alias", "re")).toEqual(["recipients", "restore"]);
  expect(await complete("alias", "list", "--de")).toEqual(["--deleted"]);
  expect(await complete("alias", "new", "--format", "")).toEqual(["random", "words", "uuid"]);
  expect(await complete("key", "create", "A script", "--scope", "aliases")).toHaveLength(3);
});

test("the commands that the trial prints can be pasted", async () => {
  const shown = await lineOnTerminal({}, trial.commands, {
    columns: 100,
    answers: [["Replace the recipients?", "n"]],
  });
  expect(shown).toContain(`You are signed in to ${trial.api} as demo@postern.example.`);
  expect(shown).toMatch(/^shopping@postern\.example +on +home@example\.com,… +Shopping\r$/m);
  expect(shown).toContain("after:  work@example.org");
});

describe("docs/cli.md", () => {
  test("a session: each command shows what the document says", async () => {
    const links = async (line: string): Promise<Record<string, string>> => {
      if (line.includes("$LINK_TO_ADA")) return { LINK_TO_ADA: await trial.link("ada@example.com") };
      return line.includes("$LINK_TO_GRACE") ? { LINK_TO_GRACE: await trial.link("grace@example.com") } : {};
    };
    for (const step of block("docs/cli.md", "A session").split(/^\$ /m).slice(1)) {
      const [line = "", ...expected] = step.split("\n");
      const shown = await lineOnTerminal({ ...careful, ...(await links(line)) }, line, { columns: 100 });
      const [output = ""] = shown.replaceAll("\r", "").split("exit code");
      expect(`${line}\n${output}`).toBe(`${line}\n${expected.join("\n")}`);
    }
  });

  test("keys: each command shows what the document says, and a script uses one", async () => {
    const shownBy = async (line: string) => {
      const shown = await lineOnTerminal(careful, line, { columns: 100 });
      const [output = ""] = shown.replaceAll("\r", "").split("exit code");
      const [secret = ""] = /^pk_\w+/.exec(output) ?? [];
      const same = output
        .replace(trial.keys, "https://keys.postern.example")
        .replace(/^pk_\w+/, "pk_…")
        .replace(/ [a-z2-7]{26}$/m, " …");
      return { same, secret };
    };
    for (const step of block("docs/cli.md", "Keys for programs").split(/^\$ /m).slice(1)) {
      const [line = "", ...expected] = step.split("\n");
      expect(`${line}\n${(await shownBy(line)).same}`).toBe(`${line}\n${expected.join("\n")}`);
    }
    const { secret } = await shownBy("postern key create Script --scope aliases:read");
    const script = block("docs/cli.md", "With a key").replace("https://keys.postern.example", trial.keys);
    const shown = await lineOnTerminal({ ...newHome(), KEY: secret }, script.trim(), { columns: 100 });
    expect(shown).toContain("shop@postern.example");
    expect(shown).toContain("exit code 0");
  });

  test("signing in: the command asks for what is missing", async () => {
    const line = block("docs/cli.md", "Sign in")
      .replace("https://postern.example", trial.api)
      .replace("https://auth.example", trial.issuer)
      .replace("--client-id postern", `--client-id ${COMMAND_LINE}`);
    const shown = await lineOnTerminal(newHome(), line.trim(), {
      columns: 100,
      answers: [
        ["User name", "demo@postern.example\r"],
        ["Password", "Demo-password-1\r"],
      ],
    });
    expect(shown).toContain(`You are signed in to ${trial.api} as demo@postern.example.`);
  });

  test("scripts: all aliases of a mailbox are switched off", async () => {
    await lineOnTerminal(careful, "postern alias on shop@postern.example", { columns: 100 });
    const shown = await lineOnTerminal(careful, block("docs/cli.md", "Scripts").trim(), { columns: 100 });
    expect(shown).toMatch(/^shop@postern\.example is off\.\r\nexit code 0\r/);
  });

  test("completion: bash completes", async () => {
    // The function of the package bash-completion stands for what is on the command line.
    const script = `postern() { "$NODE" "$MAIN" "$@"; }; ${block("docs/cli.md", "Completion")}
      _get_comp_words_by_ref() { cur=des; prev=alias; words=(postern alias des); cword=2; }
      __postern_complete; echo "\${COMPREPLY[@]}"`;
    const main = join(import.meta.dirname, "../src/main.ts");
    const { stdout } = await promisify(execFile)("bash", ["-c", script], {
      env: { PATH: process.env["PATH"], NODE: process.execPath, MAIN: main },
    });
    expect(stdout).toBe("describe\n");
  });
});
