/** The messages of an error and its causes: fast-check puts the original error there. */
const messagesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];

/** Why the check with this name fails; undefined if it passes. */
export const failuresOf =
  <Open>(checks: readonly { readonly name: string; run(open: Open): Promise<void> }[]) =>
  async (name: string, open: Open): Promise<string | undefined> => {
    const check = checks.find((each) => each.name === name);
    if (check === undefined) throw new Error(`no check is named "${name}"`);
    return check.run(open).then(
      () => undefined,
      (error: unknown) => messagesOf(error).join("\n"),
    );
  };
