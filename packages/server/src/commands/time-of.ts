/** A time in epoch milliseconds, as ISO 8601. */
export const timeOf = (time: number): string => new Date(time).toISOString();
