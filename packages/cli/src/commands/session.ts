import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { printDone, printItem, printList, type View } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { timeText } from "../output/time.ts";
import { HEALTH, SERVICE } from "../output/views.ts";
import { say } from "../output/write.ts";
import { claimsOf, nameIn } from "../session/claims.ts";
import { access, connect, connectAnonymously, connectWith, serverUrl } from "../session/connect.ts";
import { isKey } from "../session/key.ts";
import { login } from "../session/login.ts";
import { refusalStop } from "../session/refusals.ts";
import { givenUrl } from "../session/server-url.ts";
import { readSession, type Settings, sessionPath, withLock, writeSession } from "../session/session-file.ts";
import { Stop } from "../stop.ts";
import { leaf } from "./command.ts";

const needed = (value: string | undefined, option: string, what: string): string => {
  if (!value) throw new Stop("usage", `Give ${option}, ${what}. It is remembered.`);
  return value;
};

/** What was given, or else what was remembered about the same server. */
const settingsFor = async (options: {
  readonly url?: string | undefined;
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
}): Promise<Settings> => {
  // A session that cannot be used is no obstacle: it is replaced.
  const stored = await readSession().catch(() => null);
  const url = needed(givenUrl(options.url) ?? stored?.url, "--url", "the address of the server");
  const former = stored?.url === url ? stored : null;
  return {
    url,
    issuer: needed(
      options.issuer ?? former?.issuer,
      "--issuer",
      "the server's POSTERN_ISSUER, to the letter",
    ),
    clientId: needed(
      options.clientId ?? former?.clientId,
      "--client-id",
      "one of the server's POSTERN_AUDIENCE",
    ),
    scope: options.scope ?? former?.scope ?? null,
  };
};

type Identity = {
  /** Null if it is not known: a key does not say whose it is. */
  readonly account: string | null;
  readonly name: string;
  readonly url: string;
  /** Null if the token does not say. */
  readonly token_expires: number | null;
};

const IDENTITY: View<Identity> = {
  name: ({ account, name }) => account ?? name,
  columns: [
    { title: "NAME", text: ({ name }) => name },
    { title: "ACCOUNT", text: ({ account }) => account ?? "" },
    { title: "SERVER", text: ({ url }) => url },
  ],
  details: [["token expires", ({ token_expires }) => timeText(token_expires)]],
};

type Setting = { readonly setting: string; readonly value: string; readonly from: string };

const SETTING: View<Setting> = {
  name: ({ value }) => value,
  columns: [
    { title: "SETTING", text: ({ setting }) => setting, whole: true },
    { title: "VALUE", text: ({ value }) => value, whole: true },
    { title: "FROM", text: ({ from }) => from },
  ],
  details: [],
};

/** The settings in effect. */
const settings = async (option: string | undefined): Promise<readonly Setting[]> => {
  const stored = await readSession();
  const from = option === undefined ? "POSTERN_URL" : "--url";
  const given = givenUrl(option);
  const remembered = (setting: string, value: string | null | undefined): readonly Setting[] =>
    value ? [{ setting, value, from: "login" }] : [];
  return [
    ...(given === null ? remembered("url", stored?.url) : [{ setting: "url", value: given, from }]),
    ...remembered("issuer", stored?.issuer),
    ...remembered("client_id", stored?.clientId),
    ...remembered("scope", stored?.scope),
    ...(process.env["POSTERN_TOKEN"]
      ? [{ setting: "token", value: "set", from: "POSTERN_TOKEN" }]
      : remembered("token", stored?.tokens && "stored")),
    {
      setting: "session",
      value: sessionPath(),
      from: process.env["XDG_STATE_HOME"] ? "XDG_STATE_HOME" : "default",
    },
  ];
};

export const addSession = (program: CommandUnknownOpts): void => {
  leaf(program, "login", "sign in; what is given here is remembered")
    .option("--issuer <url>", "the identity provider: the server's POSTERN_ISSUER, to the letter")
    .option("--client-id <id>", "the id of a public client there: one of the server's POSTERN_AUDIENCE")
    .option("--browser", "sign in on the identity provider's page; the default, except with Amazon Cognito")
    .option("--scope <scopes>", 'what to ask for there, such as "openid groups"')
    .option("--username <name>", "the user name, instead of being asked")
    .option("--password-stdin", "read the password from standard input, instead of being asked")
    .option("--reset-password", "choose a new password, with a code that is sent to you")
    .action(async (options) => {
      const chosen = await settingsFor(options);
      const tokens = await login(chosen, options);
      if (process.env["POSTERN_TOKEN"]) say("POSTERN_TOKEN is set: as long as it is, it is used instead.");
      const name = nameIn(tokens.idToken);
      await printDone(
        `You are signed in to ${chosen.url} as ${printable(name)}.`,
        { url: chosen.url, name },
        options,
      );
    });

  leaf(program, "logout", "sign out: revokes the session, and forgets it").action(async (options) => {
    const former = await withLock(async () => {
      const stored = await readSession();
      if (stored !== null) await writeSession({ ...stored, tokens: null });
      return stored;
    });
    if (former === null || former.tokens === null) return printDone("You were not signed in.", null, options);
    const { revoke } = await import("@postern/sign-in");
    const revoked = await revoke({ issuer: former.issuer, clientId: former.clientId }, former.tokens);
    if (revoked.type === "refused") {
      if (!options.quiet) say("You are signed out on this machine, but the session could not be revoked:");
      throw refusalStop(revoked);
    }
    return printDone("You are signed out.", null, options);
  });

  leaf(program, "whoami", "show who you are to the server, and whether it accepts that").action(
    async (options) => {
      const { url, token, session } = await access(options.url);
      const client = await connectWith({ url, token });
      await client.getService();
      const idToken = typeof token === "string" ? token : await token({ renew: false });
      const { sub, exp } = claimsOf(idToken);
      const expires = session?.tokens?.expiresAt ?? (typeof exp === "number" ? exp * 1_000 : null);
      const who = isKey(idToken)
        ? { account: null, name: "a key" }
        : { account: String(sub), name: nameIn(idToken) };
      const identity = { ...who, url, token_expires: expires };
      await printItem(IDENTITY, identity, options);
    },
  );

  leaf(program, "service", "show what the server offers: alias domains, webhooks, keys and limits").action(
    async (options) => {
      const { data } = await (await connect(options)).getService();
      await printItem(SERVICE, data, options);
    },
  );

  leaf(program, "health", "ask whether the server works; needs no sign-in").action(async (options) => {
    const client = await connectAnonymously(await serverUrl(options.url));
    const { data } = await client.health();
    await printItem(HEALTH, data, options);
  });

  leaf(program, "config", "show the settings, and where each comes from").action(async (options) => {
    await printList(SETTING, await settings(options.url), options);
  });
};
