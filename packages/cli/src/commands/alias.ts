import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Schemas, ThrowingClient } from "@postern/client";
import { confirm } from "../ask.ts";
import { aliasIdOf, PAGE, recipientIdOf, recipientsOf } from "../names.ts";
import { printCreated, printDone, printItem, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { ALIAS, ALIAS_WITH_WEBSITE, RECIPIENT, RULES } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { Stop } from "../stop.ts";
import { changesOf, parseMessages } from "./alias-rules.ts";
import { chosenRecipients, idsOf, naming } from "./chosen-recipients.ts";
import { collect, leaf, parseCount, parseEnd, YES } from "./command.ts";
import { showChange } from "./show-change.ts";

type Recipient = Schemas["Recipient"];

const emailsOf = (recipients: readonly Recipient[]) =>
  recipients.map(({ recipient_email }) => recipient_email);

/** An address of which only the name was given is on `--domain`, or else on the first domain of the service. */
const fullAddress = async (
  client: ThrowingClient,
  name: string,
  domain: string | undefined,
): Promise<string> => {
  if (name.includes("@")) return name;
  return `${name}@${domain ?? (await client.getService()).data.alias_domains[0]}`;
};

export const addAlias = (program: CommandUnknownOpts): void => {
  const alias = program.command("alias").description("the addresses that you give away");

  leaf(
    alias,
    "list [search]",
    "list aliases: all, or those whose address, description or website begins with this",
  )
    .option("--to <recipient>", "only those that forward to this recipient")
    .option("--on", "only those that accept mail")
    .option("--off", "only those that do not")
    .option("--deleted", "only deleted ones")
    .option("--limit <number>", "at most so many", parseCount)
    .action(async (search, options) => {
      if (options.on && options.off) throw new Stop("usage", "--on and --off exclude each other.");
      const client = await connect(options);
      const found = client.allAliases({
        ...PAGE,
        ...(search !== undefined && { q: search }),
        ...(options.to !== undefined && { recipient_id: await recipientIdOf(client, options.to) }),
        ...((options.on || options.off) && { active: options.on === true }),
        ...(options.deleted && { deleted: true }),
      });
      await printList(ALIAS, found, options);
    });

  leaf(
    alias,
    "new [address]",
    "create an alias: with this address or name, or with one that nobody can guess",
  )
    .requiredOption("--to <recipient>", "forward to it; repeat it for several", collect)
    .addOption(
      new Option("--format <format>", "of an address that nobody can guess").choices([
        "random",
        "words",
        "uuid",
      ]),
    )
    .option("--domain <domain>", "one of the alias domains that `postern service` shows")
    .option("--description <text>", "what it is for")
    .option("--website <website>", "the website that it is for, such as shop.example")
    .action(async (address, options) => {
      const { to, format, domain, description, website } = options;
      if (address !== undefined && format !== undefined) {
        throw new Stop("usage", "--format is for addresses that the service chooses: leave out the address.");
      }
      const client = await connect(options);
      const recipients = await chosenRecipients(client, to);
      const body = {
        recipient_ids: idsOf(recipients),
        ...(description !== undefined && { description }),
        ...(website !== undefined && { website }),
      };
      const where =
        address === undefined
          ? { ...(format && { alias_format: format }), ...(domain && { alias_domain: domain }) }
          : { alias_email: await fullAddress(client, address, domain) };
      const { data } = await naming(recipients, client.createAlias({ ...body, ...where }));
      await printCreated(ALIAS, `It forwards to ${data.destination_emails.join(", ")}.`, data, options);
    });

  leaf(alias, "show <alias>", "show an alias, with its website and its counters").action(
    async (name, options) => {
      const client = await connect(options);
      const id = await aliasIdOf(client, name);
      const [{ data }, { data: website }] = await Promise.all([
        client.getAlias(id),
        client.getAliasWebsite(id),
      ]);
      await printItem(ALIAS_WITH_WEBSITE, { ...data, ...website }, options);
    },
  );

  leaf(alias, "recipients <alias>", "list the recipients that an alias forwards to, in its order").action(
    async (name, options) => {
      const client = await connect(options);
      const { data } = await client.getAliasRecipients(await aliasIdOf(client, name));
      await printList(RECIPIENT, data.recipients, options);
    },
  );

  leaf(
    alias,
    "to <alias> <recipients...>",
    "have an alias forward to exactly these recipients, in this order",
  )
    .option(...YES)
    .action(async (name, names, options) => {
      const client = await connect(options);
      const id = await aliasIdOf(client, name);
      const { data: before, etag } = await client.getAliasRecipients(id);
      const after = await recipientsOf(client, names);
      if (!options.quiet) showChange(name, emailsOf(before.recipients), emailsOf(after));
      await confirm("Replace the recipients?", options);
      // At any other version, what has been shown is not what would be replaced.
      const replaced = client.replaceRecipients(id, idsOf(after), { ifMatch: etag });
      const { data, etag: version } = await naming(after, replaced);
      const said = version === etag ? "It already had these recipients: nothing was changed." : "Replaced.";
      await printDone(said, data, options);
    });

  for (const [line, active] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const description = active
      ? "have an alias accept mail"
      : "have an alias refuse all mail, until it is on again";
    leaf(alias, `${line} <alias>`, description).action(async (name, options) => {
      const client = await connect(options);
      const { data } = await client.updateAlias(await aliasIdOf(client, name), { active });
      await printDone(`${data.alias_email} is ${line}.`, data, options);
    });
  }

  leaf(alias, "describe <alias> <text>", "say what an alias is for; an empty text says nothing").action(
    async (name, description, options) => {
      const client = await connect(options);
      const { data } = await client.updateAlias(await aliasIdOf(client, name), { description });
      await printDone(`${data.alias_email} is described.`, data, options);
    },
  );

  leaf(alias, "website <alias> <website>", "say for which website it is; an empty text says for none").action(
    async (name, website, options) => {
      const client = await connect(options);
      const { data } = await client.updateAliasWebsite(await aliasIdOf(client, name), website);
      const said = data.website === "" ? "It is for no website." : `It is for ${printable(data.website)}.`;
      await printDone(said, data, options);
    },
  );

  leaf(alias, "rules <alias>", "show or change whose mail an alias accepts, and until when")
    .addOption(
      new Option("--accept-from <whom>", "whose mail it accepts").choices([
        "everybody",
        "written_to",
        "listed",
      ]),
    )
    .option(
      "--add-sender <sender>",
      "list an address, or a domain with its subdomains; can be repeated",
      collect,
    )
    .option("--remove-sender <sender>", "take it off the list; can be repeated", collect)
    .option(
      "--until <time>",
      "when the alias ends, such as 2027-01-31 or 2027-01-31T18:00; `never`",
      parseEnd,
    )
    .option("--messages <number>", "after how many more messages it ends; `unlimited`", parseMessages)
    .action(async (name, options) => {
      const client = await connect(options);
      const id = await aliasIdOf(client, name);
      const { data: rules, etag } = await client.getAliasRules(id);
      const changes = changesOf(rules, options);
      if (Object.keys(changes).length === 0) return printItem(RULES, rules, options);
      // The list of senders is made from what was read, so nobody else's change may come between.
      const { data } = await client.updateAliasRules(id, changes, { ifMatch: etag });
      return printItem(RULES, data, options);
    });

  leaf(alias, "delete <alias>", "delete an alias, so that it accepts no mail; it can be restored")
    .option(...YES)
    .action(async (name, options) => {
      const client = await connect(options);
      const id = await aliasIdOf(client, name);
      await confirm(`Delete ${printable(name)}?`, options);
      const { data } = await client.deleteAlias(id);
      await printDone(
        `${data.alias_email} is deleted. \`postern alias restore\` brings it back.`,
        data,
        options,
      );
    });

  leaf(alias, "restore <alias>", "restore a deleted alias, with the recipients that it had")
    .option("--to <recipient>", "forward to it instead; can be repeated", collect)
    .action(async (name, options) => {
      const client = await connect(options);
      const id = await aliasIdOf(client, name);
      const recipients = options.to === undefined ? [] : await chosenRecipients(client, options.to);
      const restored = client.restoreAlias(
        id,
        recipients.length === 0 ? {} : { recipient_ids: idsOf(recipients) },
      );
      const { data } = await naming(recipients, restored);
      const state = data.active ? "on" : "off: `postern alias on` has it accept mail";
      await printDone(`${data.alias_email} is restored, and ${state}.`, data, options);
    });
};
