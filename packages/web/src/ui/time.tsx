import { dateTime, day, relative } from "../format.ts";

/** When something happened, as “5 minutes ago”; the date and the time on a pointer's request. */
export const Ago = ({ time }: { readonly time: number }) => (
  <time dateTime={new Date(time).toISOString()} title={dateTime(time)}>
    {relative(time)}
  </time>
);

/** The same for times that are exact to an hour only: the day. */
export const OnDay = ({ time }: { readonly time: number }) => (
  <time dateTime={new Date(time).toISOString().slice(0, 10)}>{day(time)}</time>
);
