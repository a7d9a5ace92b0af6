import { locale } from "./words/locale.ts";

export const number = (value: number): string => new Intl.NumberFormat(locale).format(value);

/** A number of things, such as “1 alias” and “2 aliases”, in a language that has these two forms. */
export const many = (count: number, one: string, more: string): string =>
  `${number(count)} ${count === 1 ? one : more}`;

export const dateTime = (time: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(time);

export const date = (time: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(time);

/** A list in words, such as “a, b and c”. */
export const list = (items: readonly string[]): string => new Intl.ListFormat(locale).format(items);

const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** How long ago, or in how long, such as “5 minutes ago”. */
export const relative = (time: number, now = Date.now()): string => {
  const seconds = Math.round((time - now) / 1_000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
};

/** The day, such as “today”, for times that are exact to an hour only. */
export const day = (time: number, now = Date.now()): string => {
  const midnight = (of: number) => new Date(of).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(time) - midnight(now)) / 86_400_000);
  return Math.abs(days) > 6
    ? date(time)
    : new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
};

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A size such as “1.2 MB”. */
export const bytes = (size: number): string => {
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, size)) / 3)));
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: SIZES[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(size / 1000 ** step);
};
