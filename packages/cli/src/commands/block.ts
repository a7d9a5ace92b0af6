import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { blockedSenderIdOf, PAGE } from "../names.ts";
import { printDone, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { BLOCKED_SENDER } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { leaf, parseCount } from "./command.ts";

export const addBlock = (program: CommandUnknownOpts): void => {
  const block = program.command("block").description("senders whose mail all your aliases refuse");

  leaf(block, "list", "list blocked senders")
    .option("--limit <number>", "at most so many", parseCount)
    .action(async (options) => {
      const client = await connect(options);
      await printList(BLOCKED_SENDER, client.allBlockedSenders(PAGE), options);
    });

  leaf(block, "add <sender>", "refuse mail from an address, or from a domain and its subdomains").action(
    async (sender, options) => {
      const client = await connect(options);
      const { data } = await client.blockSender(sender);
      await printDone(`Mail from ${printable(data.sender)} is refused.`, data, options);
    },
  );

  leaf(block, "remove <sender>", "accept its mail again").action(async (sender, options) => {
    const client = await connect(options);
    await client.unblockSender(await blockedSenderIdOf(client, sender));
    await printDone(`${printable(sender)} is not blocked any more.`, null, options);
  });
};
