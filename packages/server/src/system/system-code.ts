/** The code of a system error, such as ENOENT; of any other error, its class. */
export const systemCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};
