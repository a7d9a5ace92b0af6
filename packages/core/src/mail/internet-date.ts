const DAY = 86_400;
const DAYS = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** In the calendar below a year begins in March, so that a leap day is its last. */
const DAYS_FROM_0000_TO_1970 = 719_468;
const DAYS_IN_400_YEARS = 146_097;

const two = (number: number): string => String(number).padStart(2, "0");

/** Year, month (0 is January) and day, of the Gregorian calendar. */
const civil = (daysSince1970: number): readonly [number, number, number] => {
  const days = daysSince1970 + DAYS_FROM_0000_TO_1970;
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

/** A time, in epoch milliseconds, as mail writes it (RFC 5322, section 3.3): `Thu, 1 Jan 1970 00:00:00 +0000`. */
export const internetDate = (time: number): string => {
  const seconds = Math.floor(time / 1000);
  const days = Math.floor(seconds / DAY);
  const [year, month, day] = civil(days);
  const ofDay = seconds - days * DAY;
  const clock = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60].map(two).join(":");
  return `${DAYS[days % 7]}, ${day} ${MONTHS[month]} ${year} ${clock} +0000`;
};
