import { Stop } from "./stop.ts";

/** Whether somebody can be asked. Questions appear on standard error, so that standard output can be a file. */
const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

const noOne = (what: string): Stop =>
  new Stop(
    "usage",
    `${what} Nobody can be asked, because standard input or standard error is not a terminal.`,
  );

const canceled = (): Stop => new Stop("interrupted", "Canceled.");

/** Asks before something is done, unless `--yes` is set. @throws Stop unless the answer is yes */
export const confirm = async (
  question: string,
  { yes }: { readonly yes?: true | undefined },
): Promise<void> => {
  if (yes) return;
  if (!canAsk()) throw noOne("Confirm with --yes.");
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: question, initialValue: false, output: process.stderr });
  if (prompts.isCancel(answer)) throw canceled();
  if (!answer) throw new Stop("refused", "canceled: Nothing was changed.");
};

/** Asks for a line of text. @param instead how to give it without being asked */
export const askText = async (message: string, instead: string): Promise<string> => {
  if (!canAsk()) throw noOne(instead);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.text({
    message,
    output: process.stderr,
    validate: (text) => (text ? undefined : "Type something, or press Ctrl-C"),
  });
  if (prompts.isCancel(answer)) throw canceled();
  return answer;
};

/** Asks for a password, which is not shown. @param instead how to give it without being asked */
export const askPassword = async (message: string, instead: string): Promise<string> => {
  if (!canAsk()) throw noOne(instead);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.password({ message, output: process.stderr });
  if (prompts.isCancel(answer)) throw canceled();
  return answer;
};
