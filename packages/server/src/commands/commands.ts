import { ENV } from "../configuration/names.ts";
import type { Command, Diagnosis } from "./command.ts";

/** Every command. Only the one that runs is loaded. */
export const commands: readonly (Command | Diagnosis)[] = [
  {
    line: "account list [--json]",
    meaning:
      "lists all accounts. Safe while a server is using the store, as with all commands about accounts",
    run: async (...input) => (await import("./account/list.ts")).listAccounts(...input),
  },
  {
    line: "account show [--json] ACCOUNT",
    meaning:
      "shows how many aliases, recipients, blocked senders, webhooks and API keys an account has, and whether it is suspended",
    run: async (...input) => (await import("./account/show.ts")).showAccount(...input),
  },
  {
    line: "account suspend ACCOUNT",
    meaning: "suspends an account: its requests are refused, and its aliases accept no mail",
    run: async (...input) => (await import("./account/suspend.ts")).suspend(...input),
  },
  {
    line: "account resume ACCOUNT",
    meaning: "ends the suspension of an account",
    run: async (...input) => (await import("./account/suspend.ts")).resume(...input),
  },
  {
    line: "account erase [--yes] ACCOUNT",
    meaning: "erases everything that an account has, for good",
    run: async (...input) => (await import("./account/erase.ts")).erase(...input),
  },
  {
    line: "alias create [--json] ACCOUNT ADDRESS RECIPIENT...",
    meaning:
      "creates an alias that forwards to these recipients, which are named by address or id. If ADDRESS is only a domain, the name is random. Safe while a server is using the store, as with all commands about aliases and recipients",
    run: async (...input) => (await import("./alias/create.ts")).create(...input),
  },
  {
    line: "alias list [--json] ACCOUNT",
    meaning: "lists the aliases of an account, with their addresses and recipients",
    run: async (...input) => (await import("./alias/list.ts")).listAliases(...input),
  },
  {
    line: "alias to [--json] ACCOUNT ALIAS RECIPIENT...",
    meaning:
      "has an alias forward to exactly these recipients, in this order. The alias and the recipients are named by address or id",
    run: async (...input) => (await import("./alias/to.ts")).to(...input),
  },
  {
    line: "alias on [--json] ACCOUNT ALIAS",
    meaning: "switches an alias on, so that it accepts mail",
    run: async (...input) => (await import("./alias/switch.ts")).on(...input),
  },
  {
    line: "alias off [--json] ACCOUNT ALIAS",
    meaning: "switches an alias off, so that it accepts no mail",
    run: async (...input) => (await import("./alias/switch.ts")).off(...input),
  },
  {
    line: "alias owner ADDRESS",
    meaning: "says which account and alias an address belongs to",
    run: async (...input) => (await import("./alias/owner.ts")).aliasOwner(...input),
  },
  {
    line: "backup FILE",
    meaning: "copies the SQLite store to a new file; safe while a server is using the store",
    run: async (...input) => (await import("./backup.ts")).backup(...input),
  },
  {
    line: "doctor [--json]",
    meaning:
      "checks everything that the server needs, with the variables of the server, and says what is wrong and what to do. Changes nothing. Sends no message, except one to this server, through a relay in a private network. Safe while a server is running",
    diagnose: async (...input) => (await import("./doctor/report.ts")).report(...input),
  },
  {
    line: "export [ACCOUNT]",
    meaning:
      "writes everything in the store, or what one account has, to standard output as JSON Lines, email addresses included",
    run: async (...input) => (await import("./export.ts")).exportStore(...input),
  },
  {
    line: "import [--allow-reserved] [FILE]",
    meaning: `stores what \`export\` wrote, from a file or standard input; needs ${ENV.aliasDomains}. Safe to repeat: stored records are skipped. Aliases with reserved names are stored only with --allow-reserved`,
    run: async (...input) => (await import("./import.ts")).importStore(...input),
  },
  {
    line: "key create [--json] ACCOUNT NAME SCOPE...",
    meaning: `creates a key for a program of the account, such as a password manager, and prints it, only now. SCOPE is what the program may do, such as aliases:create. Needs the server's variables, with ${ENV.keysUrl}`,
    run: async (...input) => (await import("./key/create.ts")).create(...input),
  },
  {
    line: "key list [--json] ACCOUNT",
    meaning: "lists the keys of an account, with their last use",
    run: async (...input) => (await import("./key/list.ts")).list(...input),
  },
  {
    line: "key delete ACCOUNT KEY",
    meaning: "deletes a key, which is named by its name or id: servers refuse it within 10 seconds",
    run: async (...input) => (await import("./key/delete.ts")).remove(...input),
  },
  {
    line: "mail key",
    meaning: `creates the key that signs forwarded mail, in the new file ${ENV.dkimKey}, and prints the DNS records to publish for it. Never overwrites a file`,
    run: async (...input) => (await import("./mail/key.ts")).createKey(...input),
  },
  {
    line: "mail records [--json]",
    meaning: "prints every DNS record that the alias domains need, as lines of a zone file with explanations",
    run: async (...input) => (await import("./mail/records.ts")).printRecords(...input),
  },
  {
    line: "mail queue list [--json]",
    meaning:
      "lists the copies of messages that are waiting to be sent. Like all queue commands, it is safe while a server is using the spool",
    run: async (...input) => (await import("./mail/queue.ts")).list(...input),
  },
  {
    line: "mail queue show [--json] COPY",
    meaning: "shows what is known about a copy, even when it is no longer waiting",
    run: async (...input) => (await import("./mail/queue.ts")).show(...input),
  },
  {
    line: "mail queue retry [--all] [COPY]",
    meaning:
      "retries a copy now or, with --all, all that wait. If forwarding is paused, the relay is asked again at once",
    run: async (...input) => (await import("./mail/queue.ts")).retry(...input),
  },
  {
    line: "mail queue drop [--account] COPY",
    meaning:
      "drops a copy: it is not sent, nothing is counted, and nobody is notified. With --account, drops all waiting copies of the account that is given instead",
    run: async (...input) => (await import("./mail/queue.ts")).drop(...input),
  },
  {
    line: "mailbox release ADDRESS",
    meaning:
      "allows verification messages to a mailbox whose owner had asked for no more, and who now wants them again; needs the secrets of the server. Safe while a server is using the store",
    run: async (...input) => (await import("./mailbox-release.ts")).mailboxRelease(...input),
  },
  {
    line: "outcomes replay",
    meaning: `moves the dead letters of ${ENV.sesQueue} back into the queue, so that what SES reported is tried again: after the store was down for long, or once what could not be read can be`,
    run: async (...input) => (await import("./outcomes-replay.ts")).replay(...input),
  },
  {
    line: "recipient adopt [--json] ACCOUNT ADDRESS",
    meaning:
      "adds a recipient to an account as verified, without a message to it: you vouch that its owner wants mail for the account there. The account need not exist yet. Needs the server's variables",
    run: async (...input) => (await import("./recipient/adopt.ts")).adopt(...input),
  },
  {
    line: "recipient list [--json] ACCOUNT",
    meaning: "lists the recipients of an account, with their addresses",
    run: async (...input) => (await import("./recipient/list.ts")).listRecipients(...input),
  },
  {
    line: "recipient resend ACCOUNT RECIPIENT",
    meaning: `sends a new verification link through ${ENV.smtpUrl}, at once even if the server queues verification mail, within the limits of the account; needs the variables for mail and links. Safe while a server is using the store`,
    run: async (...input) => (await import("./recipient-resend.ts")).recipientResend(...input),
  },
  {
    line: "store check [--json]",
    meaning:
      "compares redundant data in the store, such as how many aliases list a recipient, and lists what differs. Safe while a server is using the store",
    run: async (...input) => (await import("./store/differences.ts")).check(...input),
  },
  {
    line: "store repair [--json] [--detach]",
    meaning:
      "does the same, and corrects what differs. With --detach, it also takes recipients that do not exist, or are not verified and active, off the aliases that list them, and deletes an alias that has no other; its owner can restore it",
    run: async (...input) => (await import("./store/differences.ts")).repair(...input),
  },
  {
    line: "table create",
    meaning: "creates the DynamoDB table; safe to repeat",
    run: async (...input) => (await import("./table.ts")).create(...input),
  },
  {
    line: "table check",
    meaning: "lists how the table differs from the required one",
    run: async (...input) => (await import("./table.ts")).check(...input),
  },
  {
    line: "table migrate",
    meaning: "brings items of older versions up to date; safe to repeat",
    run: async (...input) => (await import("./table.ts")).migrate(...input),
  },
];
