/** The code of an error of the system, such as `ENOENT`; of any other error, its text. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);
