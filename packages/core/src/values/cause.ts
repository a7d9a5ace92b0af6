/**
 * The cause of an external failure, for the operator's log: `source` is the component that failed, such as `sqlite` or
 * `smtp`, and `reason` is its own name for the failure, such as `SQLITE_FULL` or `535 to AUTH`. The domain passes it on
 * and never reads it.
 *
 * An adapter that reports a cause guarantees that it is short and of low cardinality: a source of at most 32 lower-case
 * letters, digits and hyphens, and a printable reason of at most 200 characters. Neither contains an address, a token, an
 * id, or any other content of a request or a stored record.
 */
export type Cause = { readonly source: string; readonly reason: string };
