import { headerTokens } from "./header-tokens.ts";

const DAY = 86_400;
const DAYS = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** In the calendar below a year begins in March, so that a leap day is its last. */
const DAYS_FROM_0000_TO_1970 = 719_468;
const DAYS_IN_400_YEARS = 146_097;

/** The inverse of `civil`. */
const daysSince1970 = (year: number, month: number, day: number): number => {
  const fromMarch = (month + 10) % 12;
  const marchYear = year - (month < 2 ? 1 : 0);
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return (
    365 * marchYear + leapDays + Math.floor((153 * fromMarch + 2) / 5) + day - 1 - DAYS_FROM_0000_TO_1970
  );
};

const two = (number: number): string => String(number).padStart(2, "0");

/** Year, month (0 is January) and day in the Gregorian calendar. */
const civil = (sinceEpoch: number): readonly [number, number, number] => {
  const days = sinceEpoch + DAYS_FROM_0000_TO_1970;
  const era = Math.floor(days / DAYS_IN_400_YEARS);
  const ofEra = days - era * DAYS_IN_400_YEARS;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = (fromMarch + 2) % 12;
  return [yearOfEra + era * 400 + (month < 2 ? 1 : 0), month, day];
};

/** A time, given in epoch milliseconds, in the format of mail (RFC 5322, section 3.3): `Thu, 1 Jan 1970 00:00:00 +0000`. */
export const internetDate = (time: number): string => {
  const seconds = Math.floor(time / 1000);
  const days = Math.floor(seconds / DAY);
  const [year, month, day] = civil(days);
  const ofDay = seconds - days * DAY;
  const clock = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60].map(two).join(":");
  return `${DAYS[days % 7]}, ${day} ${MONTHS[month]} ${year} ${clock} +0000`;
};

const DATE =
  /^(?:[a-z]{3} ?, ?)?(?<day>\d{1,2}) (?<name>[a-z]{3}) (?<year>\d{4}) (?<hour>\d{2}) ?: ?(?<minute>\d{2})(?: ?: ?(?<second>\d{2}))? (?:(?<sign>[+-])(?<zoneHours>\d{2})(?<zoneMinutes>\d{2})|GMT|UTC?|Z)$/i;

/**
 * The time, in epoch milliseconds, given by an unfolded value in the form of `internetDate`, in any zone and with any comments. Null for
 * anything else, including two-digit years, names of zones other than UTC, and times before 1970.
 */
export const parseInternetDate = (value: string): number | null => {
  const text = Array.from(headerTokens(value), ({ kind, text }) =>
    kind === "comment" || kind === "space" ? " " : text,
  ).join("");
  const match = DATE.exec(text.replace(/ +/g, " ").replace(/^ | $/g, ""));
  if (match === null) return null;
  const { name = "", sign, ...numbers } = match.groups ?? {};
  const numberOf = (part: string): number => Number(numbers[part] ?? 0);
  const [day, hour, minute] = [numberOf("day"), numberOf("hour"), numberOf("minute")];
  const [second, zoneMinutes] = [numberOf("second"), numberOf("zoneMinutes")];
  const month = MONTHS.findIndex((known) => known.toLowerCase() === name.toLowerCase());
  const days = daysSince1970(numberOf("year"), month, day);
  const isDay = month >= 0 && civil(days)[1] === month && civil(days)[2] === day;
  if (!isDay || hour > 23 || minute > 59 || second > 60 || zoneMinutes > 59) return null;
  const offset = (sign === "-" ? -60 : 60) * (60 * numberOf("zoneHours") + zoneMinutes);
  const seconds = days * DAY + 3600 * hour + 60 * minute + second - offset;
  return seconds < 0 ? null : 1000 * seconds;
};
