import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { aliasIdOf, contactIdOf, PAGE } from "../names.ts";
import { printCreated, printDone, printItem, printList } from "../output/print.ts";
import { CONTACT } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { leaf, parseCount } from "./command.ts";

export const addContact = (program: CommandUnknownOpts): void => {
  const contact = program.command("contact").description("the people on the other side of an alias");

  leaf(contact, "list <alias>", "list those with whom an alias has exchanged mail")
    .option("--limit <number>", "at most so many", parseCount)
    .action(async (name, options) => {
      const client = await connect(options);
      await printList(CONTACT, client.allContacts(await aliasIdOf(client, name), PAGE), options);
    });

  leaf(contact, "show <alias> <contact>", "show a contact").action(async (name, contactName, options) => {
    const client = await connect(options);
    const aliasId = await aliasIdOf(client, name);
    const { data } = await client.getContact(aliasId, await contactIdOf(client, aliasId, contactName));
    await printItem(CONTACT, data, options);
  });

  leaf(
    contact,
    "add <alias> <address>",
    "write to somebody first: get the address that stands for them",
  ).action(async (name, address, options) => {
    const client = await connect(options);
    const { data } = await client.createContact(await aliasIdOf(client, name), address);
    const said = `What the recipients of the alias send there goes to ${data.email}, from the alias.`;
    await printCreated({ name: ({ reverse_email }) => reverse_email }, said, data, options);
  });

  leaf(contact, "block <alias> <contact>", "refuse mail from a contact at this alias")
    .option("--discard", "accept and discard it instead: the contact does not notice")
    .action(async (name, contactName, options) => {
      const client = await connect(options);
      const aliasId = await aliasIdOf(client, name);
      const id = await contactIdOf(client, aliasId, contactName);
      const { data } = await client.updateContact(aliasId, id, {
        blocking: options.discard ? "discard" : "reject",
      });
      await printDone(
        `Mail from ${data.email} is ${options.discard ? "discarded" : "refused"}.`,
        data,
        options,
      );
    });

  leaf(contact, "unblock <alias> <contact>", "forward mail from a contact again").action(
    async (name, contactName, options) => {
      const client = await connect(options);
      const aliasId = await aliasIdOf(client, name);
      const id = await contactIdOf(client, aliasId, contactName);
      const { data } = await client.updateContact(aliasId, id, { blocking: "none" });
      await printDone(`Mail from ${data.email} is forwarded.`, data, options);
    },
  );
};
