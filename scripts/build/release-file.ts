/** A file of the release. */
export type ReleaseFile = {
  /** Relative to the folder of the release, with `/` between its parts. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
};

export const releaseFile = (path: string, content: string | Buffer, executable = false): ReleaseFile => ({
  path,
  content: Buffer.from(content),
  executable,
});
