import { expect, test } from "vitest";
import { proseOf } from "../../../scripts/document-blocks.ts";
import { createProgram } from "../src/program.ts";

test("docs/cli.md lists all commands, in the order of the help", () => {
  const listed = [...proseOf("docs/cli.md").matchAll(/^\| `([^`]+)`/gm)].map(([, line]) => line);
  const lines = createProgram("").commands.flatMap((noun) =>
    noun.commands.length === 0 ? [noun] : noun.commands.filter((command) => command.name() !== "help"),
  );
  const lineOf = (command: (typeof lines)[number]): string =>
    [
      ...(command.parent?.parent ? [command.parent.name()] : []),
      command.name(),
      ...command.registeredArguments.map((argument) => {
        const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
        return argument.required ? `<${name}>` : `[${name}]`;
      }),
    ].join(" ");
  expect(listed).toEqual(lines.map(lineOf));
});
