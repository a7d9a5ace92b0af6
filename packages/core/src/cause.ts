/**
 * What failed outside, for the operator's log: `source` is what failed, such as `sqlite` or `smtp`, and `reason` its own
 * name for the failure, such as `SQLITE_FULL` or `535 to AUTH`. The domain passes it on and never reads it.
 *
 * An adapter that gives one guarantees that it is short and that there are only so many: a source of at most 32
 * lower-case letters, digits and hyphens, and a printable reason of at most 200 characters. Neither contains an address, a
 * token, an id, or anything else that a request or a stored record consists of.
 */
export type Cause = { readonly source: string; readonly reason: string };
