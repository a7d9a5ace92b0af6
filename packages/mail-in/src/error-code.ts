/** The `code` of an error of Node.js, such as EADDRINUSE; null without one. */
export const errorCode = (error: unknown): string | null => {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : null;
};
