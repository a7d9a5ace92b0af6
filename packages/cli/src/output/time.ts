/** A time of the API. On a terminal in the person's time zone, to the minute; for other programs as ISO 8601. Empty if there is none. */
export const timeText = (time: number | null): string => {
  if (time === null) return "";
  const date = new Date(time);
  // Swedish is written like ISO 8601.
  return process.stdout.isTTY
    ? date.toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" })
    : date.toISOString();
};
