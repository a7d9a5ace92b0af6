import { fileURLToPath } from "node:url";
import { PEOPLE } from "./identity-provider/registered.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Commands for another terminal, with the command line. They can be pasted again; the last one asks.
 *
 * @param directory where its session is kept, apart from one that the person may have
 */
export const commandLine = ({
  api,
  issuer,
  client,
  directory,
}: {
  readonly api: string;
  readonly issuer: string;
  readonly client: string;
  readonly directory: string;
}): string => {
  const { email, password } = PEOPLE.ready;
  return `\
postern() { XDG_STATE_HOME=${quoted(directory)} ${quoted(process.execPath)} ${quoted(MAIN)} "$@"; }
echo ${quoted(password)} | postern login --username ${email} --password-stdin \\
  --url ${api} --issuer ${issuer} --client-id ${client}
postern alias list
postern message list shopping@postern.example
postern alias to shopping@postern.example work@example.org
`;
};
