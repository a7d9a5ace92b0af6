const SOURCE = /^[a-z][a-z0-9-]{0,31}$/;

/** Printable ASCII without @: with one, it would be an address. */
const REASON = /^[ -?A-~]{1,200}$/;

/** What is wrong with the cause of an error, which can be any value; null if nothing is wrong, or if it has no cause. */
export const causeFlaw = (error: unknown): string | null => {
  if (typeof error !== "object" || error === null || !("cause" in error) || error.cause === undefined)
    return null;
  const { cause } = error;
  if (typeof cause !== "object" || cause === null || !("source" in cause) || !("reason" in cause)) {
    return "must have a source and a reason";
  }
  const { source, reason } = cause;
  if (typeof source !== "string" || !SOURCE.test(source)) {
    return "must have a source of 1 to 32 lower-case letters, digits and hyphens";
  }
  return typeof reason === "string" && REASON.test(reason)
    ? null
    : "must have a reason of 1 to 200 printable ASCII characters, without @";
};
