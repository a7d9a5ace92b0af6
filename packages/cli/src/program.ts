import { Argument, Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { addAlias } from "./commands/alias.ts";
import { addBlock } from "./commands/block.ts";
import { addContact } from "./commands/contact.ts";
import { addKey } from "./commands/key.ts";
import { addMessage } from "./commands/message.ts";
import { addRecipient } from "./commands/recipient.ts";
import { addSession } from "./commands/session.ts";
import { addWebhook } from "./commands/webhook.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

const AFTER_HELP = `
Aliases, recipients and contacts are named by their addresses or ids. Exit codes: 1 refused, 2 wrong usage,
3 sign in again, 4 the server or the identity provider does not respond.`;

/** A command in a list of commands: all have options, so that is not said of each. */
const termOf = (command: CommandUnknownOpts): string =>
  [command.name(), ...command.registeredArguments.map(usageOf)].join(" ");

const usageOf = (argument: { name(): string; required: boolean; variadic: boolean }): string => {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** All commands. They load what they need only when they run, so that the program starts fast. */
export const createProgram = (version: string): Command => {
  const program = new Command("postern")
    .description("Email aliases on a Postern server")
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help")
    .configureHelp({ subcommandTerm: termOf })
    .configureOutput({
      // What is written to neither is help that was not asked for by name: `postern` or `postern alias` alone.
      writeErr: (text) => process.stdout.write(text),
      outputError: (text) => process.stderr.write(text.replace(/^error: /, "postern: ")),
    })
    .addHelpText("after", AFTER_HELP)
    .exitOverride();

  for (const add of [
    addSession,
    addAlias,
    addRecipient,
    addContact,
    addMessage,
    addBlock,
    addWebhook,
    addKey,
  ])
    add(program);

  program
    .command("completion")
    .description("write a script that lets a shell complete commands: source it where the shell starts")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action(async (shell) => {
      const { script } = await import("@bomb.sh/tab");
      script(shell, "postern", "postern");
    });

  return program;
};
