import { type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { Schemas } from "@postern/client";
import { confirm } from "../ask.ts";
import { keyOf } from "../names.ts";
import { printCreated, printDone, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { timeText } from "../output/time.ts";
import { KEY } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { Stop } from "../stop.ts";
import { chosenRecipients, idsOf, naming } from "./chosen-recipients.ts";
import { atLeastOne, collect, leaf, parseEnd, YES } from "./command.ts";

type Scope = Schemas["Scope"];

/** What a program can do with a key, as its owner is told. */
const ALLOWS: Readonly<Record<Scope, string>> = {
  "aliases:create": "create aliases",
  "aliases:read": "see your aliases",
  "aliases:write": "change and delete your aliases",
  "recipients:read": "see your recipients",
  "messages:read": "see what became of your messages",
};
const SCOPES = Object.keys(ALLOWS);

const NO_SCOPE = `Say what the program may do. For a password manager: --scope aliases:create. Allowed choices are ${SCOPES.join(", ")}.`;

const isScope = (text: string): text is Scope => SCOPES.includes(text);

/** Scopes, with commas between them. @throws InvalidArgumentError, which commander shows */
const parseScopes = (text: string, previous: readonly Scope[] | undefined): readonly Scope[] => {
  const scopes = text.split(",").map((part) => part.trim());
  if (!scopes.every(isScope)) throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(", ")}.`);
  return [...(previous ?? []), ...scopes];
};

/** What somebody reads who has a new key, and may not know what that is. */
const whatToDo = (key: Schemas["ApiKey"], keysUrl: string | null): string => {
  const can = new Intl.ListFormat("en-GB").format(
    key.scopes.map((scope) => (isScope(scope) ? ALLOWS[scope] : printable(scope))),
  );
  const until = key.expires === null ? "" : ` until ${timeText(key.expires)}`;
  // What the shell would take apart is named by the id.
  const name = /^[\w.@-]+$/.test(key.name) ? key.name : key.key_id;
  return [
    "Copy the key above now: nothing shows it again. In the program that it is for, such as your password manager, enter",
    `  the address of the server: ${keysUrl}`,
    "  the API key: the key above",
    `Whoever has the key can ${can}${until}. If others get it, or you no longer use it: postern key delete ${name}`,
  ].join("\n");
};

export const addKey = (program: CommandUnknownOpts): void => {
  const key = program
    .command("key")
    .description("keys with which programs, such as password managers, use your account");

  leaf(key, "list", "list keys, with their last use").action(async (options) => {
    const client = await connect(options);
    const { data } = await client.listApiKeys();
    await printList(KEY, data.keys, options);
  });

  leaf(key, "create <name>", "create a key for a program, and get its secret, only now")
    .addOption(
      new Option("--scope <scope>", "what the program may do; repeat it for several")
        .choices(SCOPES)
        .argParser(parseScopes),
    )
    .option(
      "--expires <time>",
      "until when it works, such as 2027-01-31 or 2027-01-31T18:00; `never`",
      parseEnd,
    )
    .option("--domain <domain>", "create aliases for websites on this alias domain")
    .option(
      "--to <recipient>",
      "have them forward to it, instead of your default recipient; can be repeated",
      collect,
    )
    .action(async (name, options) => {
      const { scope, expires = "never", domain, to } = options;
      if (scope === undefined) throw new Stop("usage", NO_SCOPE);
      const client = await connect(options);
      const recipients = to === undefined ? [] : await chosenRecipients(client, to);
      // Before the key: if this fails, no secret is lost.
      const { data: service } = await client.getService();
      const created = client.createApiKey({
        name,
        scopes: atLeastOne(scope, "scope"),
        ...(expires !== "never" && { expires }),
        ...(domain !== undefined && { alias_domain: domain }),
        ...(recipients.length > 0 && { recipient_ids: idsOf(recipients) }),
      });
      const { data } = await naming(recipients, created);
      await printCreated({ name: ({ secret }) => secret }, whatToDo(data, service.keys_url), data, options);
    });

  leaf(key, "delete <key>", "delete a key: programs that use it are refused")
    .option(...YES)
    .action(async (name, options) => {
      const client = await connect(options);
      const { key_id: id, name: shown } = await keyOf(client, name);
      await confirm(
        `Delete the key ${printable(shown)} for good? Programs that use it are refused.`,
        options,
      );
      await client.deleteApiKey(id);
      await printDone(
        `The key ${printable(shown)} is deleted: within 10 seconds, it is refused everywhere.`,
        null,
        options,
      );
    });
};
