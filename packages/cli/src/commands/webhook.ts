import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Body } from "@postern/client";
import { confirm } from "../ask.ts";
import { webhookIdOf } from "../names.ts";
import { printCreated, printDone, printItem, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { WEBHOOK } from "../output/views.ts";
import { connect } from "../session/connect.ts";
import { Stop } from "../stop.ts";
import { atLeastOne, leaf, YES } from "./command.ts";

const events = (description: string) =>
  new Option("--event <event...>", description).choices([
    "alias.created",
    "alias.updated",
    "alias.deleted",
    "message.blocked",
    "message.queued",
    "message.sent",
    "message.failed",
  ]);

export const addWebhook = (program: CommandUnknownOpts): void => {
  const webhook = program
    .command("webhook")
    .description("URLs of yours that are told about aliases and messages");

  leaf(webhook, "list", "list webhooks").action(async (options) => {
    const client = await connect(options);
    const { data } = await client.listWebhooks();
    await printList(WEBHOOK, data.webhooks, options);
  });

  leaf(webhook, "add <address>", "tell a URL about events, and get the secret that signs them, only now")
    .addOption(events("the events that it is told about").makeOptionMandatory())
    .action(async (url, options) => {
      const client = await connect(options);
      const { data } = await client.createWebhook({ url, events: atLeastOne(options.event, "event") });
      const said = `The secret of the webhook ${data.webhook_id} is above: keep it now, nothing shows it again.`;
      await printCreated({ name: ({ secret }) => secret }, said, data, options);
    });

  leaf(webhook, "show <webhook>", "show a webhook").action(async (name, options) => {
    const client = await connect(options);
    const { data } = await client.getWebhook(await webhookIdOf(client, name));
    await printItem(WEBHOOK, data, options);
  });

  leaf(webhook, "change <webhook>", "change the URL or the events of a webhook")
    .option("--to <address>", "the new URL")
    .addOption(events("the events that it is told about from now on"))
    .action(async (name, options) => {
      const changes: Body<"updateWebhook"> = {
        ...(options.to !== undefined && { url: options.to }),
        ...(options.event !== undefined && { events: atLeastOne(options.event, "event") }),
      };
      if (Object.keys(changes).length === 0) throw new Stop("usage", "Name a change: --to or --event.");
      const client = await connect(options);
      const { data } = await client.updateWebhook(await webhookIdOf(client, name), changes);
      await printDone("Changed.", data, options);
    });

  for (const [line, active] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const description = active
      ? "send events to a webhook again"
      : "send it no events; those of that time are lost";
    leaf(webhook, `${line} <webhook>`, description).action(async (name, options) => {
      const client = await connect(options);
      const { data } = await client.updateWebhook(await webhookIdOf(client, name), { active });
      await printDone(`The webhook ${data.webhook_id} is ${line}.`, data, options);
    });
  }

  leaf(webhook, "test <webhook>", "send it a test event now; it fails if that was not delivered").action(
    async (name, options) => {
      const client = await connect(options);
      const { data } = await client.testWebhook(await webhookIdOf(client, name));
      if (data.delivered || options.json) await printDone("Delivered.", data, options);
      if (!data.delivered)
        throw new Stop("refused", `not_delivered: ${printable(data.reason ?? "no reason is known")}`);
    },
  );

  leaf(webhook, "delete <webhook>", "delete a webhook for good")
    .option(...YES)
    .action(async (name, options) => {
      const client = await connect(options);
      const id = await webhookIdOf(client, name);
      await confirm(`Delete the webhook ${printable(name)} for good?`, options);
      await client.deleteWebhook(id);
      await printDone("The webhook is deleted.", null, options);
    });
};
