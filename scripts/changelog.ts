const UNRELEASED = "## Unreleased\n";

/**
 * The changelog with its unreleased changes under `version`, and an empty section for the next ones.
 *
 * @throws Error if it has no section `Unreleased`, or an empty one
 */
export const withReleased = (changelog: string, version: string): string => {
  const [before, after] = changelog.split(UNRELEASED);
  if (before === undefined || after === undefined) throw new Error("CHANGELOG.md has no section Unreleased");
  if (/^\s*(## |$)/.test(after))
    throw new Error("CHANGELOG.md says nothing about this version: write what changes");
  return `${before}${UNRELEASED}\n## ${version}\n${after}`;
};
