const DAY = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;

/** Whether a certificate that is valid until this time, in epoch milliseconds, should have been renewed by now. */
export const expiresSoon = (end: number): boolean => end < Date.now() + RENEWAL_DAYS * DAY;

export const validUntil = (end: number): string => `valid until ${new Date(end).toISOString().slice(0, 10)}`;
