/**
 * The environment of a terminal that knows nothing of this workspace. pnpm and vitest put the workspace's Node into the PATH,
 * and pnpm tells any pnpm that it starts not to check dependencies.
 */
export const fromOutside: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !/^(VITEST|POSTERN_|NODE_ENV|NODE_OPTIONS|NODE_PATH|npm_(lifecycle|package|node)|p?npm_config_verify)/i.test(
          entry[0],
        ),
    ),
  ),
  PATH: (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules"))
    .join(":"),
};
