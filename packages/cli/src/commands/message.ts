import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { aliasIdOf, PAGE } from "../names.ts";
import { printDone, printItem, printList } from "../output/print.ts";
import { MESSAGE } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { leaf, parseCount } from "./command.ts";

export const addMessage = (program: CommandUnknownOpts): void => {
  const message = program.command("message").description("what became of the mail of an alias");

  leaf(message, "list <alias>", "list the messages of the last 30 days; the newest seconds may be missing")
    .option("--limit <number>", "at most so many", parseCount)
    .action(async (name, options) => {
      const client = await connect(options);
      await printList(MESSAGE, client.allMessages(await aliasIdOf(client, name), PAGE), options);
    });

  leaf(message, "show <alias> <message>", "show a message, with what became of each copy").action(
    async (name, id, options) => {
      const client = await connect(options);
      const { data } = await client.getMessage(await aliasIdOf(client, name), id);
      await printItem(MESSAGE, data, options);
    },
  );

  leaf(message, "resend <alias> <message>", "send a message again that did not reach everybody").action(
    async (name, id, options) => {
      const client = await connect(options);
      const { data } = await client.resendMessage(await aliasIdOf(client, name), id);
      await printDone("It will be sent again in some seconds: `postern message show` tells.", data, options);
    },
  );
};
