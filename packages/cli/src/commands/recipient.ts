import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Schemas } from "@postern/client";
import { confirm } from "../ask.ts";
import { PAGE, recipientIdOf, recipientsOf } from "../names.ts";
import { printCreated, printDone, printItem, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { RECIPIENT } from "../output/views.ts";
import { connect, connectAnonymously } from "../session/connect.ts";
import { parseServerUrl } from "../session/server-url.ts";
import { Stop } from "../stop.ts";
import { leaf, parseCount, YES } from "./command.ts";

/** What became of the message with the link. */
const LINK: Readonly<Record<string, string>> = {
  sent: "A message with a link was sent there: its owner opens it and confirms.",
  queued: "A message with a link will be sent there: its owner opens it and confirms.",
  not_sent: "No message could be sent there: `postern recipient resend` tries again.",
  not_needed: "It is verified already: nothing was sent.",
};

const linkSentence = ({ verification_mail: mail }: { readonly verification_mail: string }): string =>
  LINK[mail] ?? `The message with the link: ${printable(mail)}.`;

/** The server and the token of a link in a verification message, or of the path and query of one. */
const parseLink = (link: string): { readonly url: string; readonly token: string } => {
  const parsed = URL.parse(link);
  const token = parsed?.searchParams.get("token");
  if (parsed === null || !token || !parsed.pathname.endsWith("/recipients/verify")) {
    throw new Stop(
      "usage",
      "LINK must be the whole link from the message, such as https://…/recipients/verify?token=….",
    );
  }
  const base = parsed.pathname.slice(0, -"/recipients/verify".length);
  return { url: parseServerUrl(`${parsed.origin}${base}`, "LINK"), token };
};

const defaultSentence = (recipient: Schemas["Recipient"]): string => {
  const { recipient_email: email, datetime_default: since, verified, active } = recipient;
  if (since === null) return `${email} is not chosen any more.`;
  const when = !verified ? ", once its owner has confirmed it" : active ? "" : ", once it is on";
  return `What password managers create forwards to ${email}${when}.`;
};

export const addRecipient = (program: CommandUnknownOpts): void => {
  const recipient = program.command("recipient").description("the mailboxes that aliases forward to");

  leaf(recipient, "list", "list recipients")
    .option("--limit <number>", "at most so many", parseCount)
    .action(async (options) => {
      const client = await connect(options);
      await printList(RECIPIENT, client.allRecipients(PAGE), options);
    });

  leaf(recipient, "show <recipient>", "show a recipient").action(async (name, options) => {
    const client = await connect(options);
    const { data } = await client.getRecipient(await recipientIdOf(client, name));
    await printItem(RECIPIENT, data, options);
  });

  leaf(recipient, "add <address>", "add a mailbox, and send a link to it that its owner confirms").action(
    async (address, options) => {
      const client = await connect(options);
      const { data } = await client.addRecipient(address);
      await printCreated(RECIPIENT, linkSentence(data), data, options);
    },
  );

  leaf(recipient, "resend <recipient>", "send a new link").action(async (name, options) => {
    const client = await connect(options);
    const { data } = await client.resendVerification(await recipientIdOf(client, name));
    await printDone(linkSentence(data), data, options);
  });

  leaf(recipient, "verify <link>", "confirm the mailbox to which this link was sent; needs no sign-in")
    .option("--suppress", "instead, stop all messages with links to this mailbox, for good")
    .option(...YES)
    .action(async (link, options) => {
      const { url, token } = parseLink(link);
      const client = await connectAnonymously(url);
      if (options.suppress) await confirm("Stop all messages with links to this mailbox, for good?", options);
      const choice = options.suppress ? ({ suppress: "true" } as const) : ({ confirm: "true" } as const);
      const { data } = await client.verifyRecipient({ token, ...choice });
      const said = options.suppress ? "No more links are sent to this mailbox." : "The mailbox is confirmed.";
      await printDone(said, data, options);
    });

  leaf(recipient, "move <recipient> <other>", "replace a recipient with another one in all its aliases")
    .option(...YES)
    .action(async (name, other, options) => {
      const client = await connect(options);
      const [from, to] = await recipientsOf(client, [name, other]);
      if (from === undefined || to === undefined) return;
      const question = `Replace ${printable(name)} with ${printable(other)} in ${from.alias_count} aliases?`;
      await confirm(question, options);
      const { data } = await client.reassignAll(from.recipient_id, to.recipient_id);
      await printDone(
        `Replaced in ${data.reassigned.length} aliases; ${data.remaining} are left.`,
        data,
        options,
      );
    });

  for (const [line, active] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const description = active ? "let aliases forward to it again" : "let no alias forward to it";
    leaf(recipient, `${line} <recipient>`, description).action(async (name, options) => {
      const client = await connect(options);
      const { data } = await client.updateRecipient(await recipientIdOf(client, name), { active });
      await printDone(`${data.recipient_email} is ${line}.`, data, options);
    });
  }

  leaf(recipient, "default <recipient>", "have what password managers create forward to it")
    .option("--unset", "instead, no longer choose it")
    .action(async (name, options) => {
      const client = await connect(options);
      const { data } = await client.updateRecipient(await recipientIdOf(client, name), {
        default: !options.unset,
      });
      await printDone(defaultSentence(data), data, options);
    });

  leaf(recipient, "delete <recipient>", "delete a recipient for good")
    .option(...YES)
    .action(async (name, options) => {
      const client = await connect(options);
      const id = await recipientIdOf(client, name);
      await confirm(`Delete ${printable(name)} for good?`, options);
      await client.deleteRecipient(id);
      await printDone(`${printable(name)} is deleted.`, null, options);
    });
};
