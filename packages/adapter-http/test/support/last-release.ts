import { spawnSync } from "node:child_process";

/** The tags that `pnpm release` makes for this package. */
const TAG = "@postern/adapter-http@";

/** The version and the API's document of the last release in a Git repository; null if it has no tag of one. */
export const lastRelease = (
  repository: string,
): { readonly version: string; readonly document: unknown } | null => {
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("git", args, {
      cwd: repository,
      encoding: "utf8",
      maxBuffer: 10_000_000,
    });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const [tag] = git("tag", "--list", `${TAG}*`, "--sort=-version:refname").split("\n");
  if (tag === undefined || tag === "") return null;
  return { version: tag.slice(TAG.length), document: JSON.parse(git("show", `${tag}:docs/openapi.json`)) };
};
