import type { Command } from "./command.ts";

/** A command whose first argument chooses what it does, such as `list` in `account list`. */
export const actions =
  (named: Readonly<Record<string, Command["run"]>>): Command["run"] =>
  async (configuration, [name, ...args], flags) => {
    const action = name !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
    return action === undefined ? null : action(configuration, args, flags);
  };
