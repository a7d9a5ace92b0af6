import fc from "fast-check";

/*
 * Ends a property that has not failed after 15 seconds, however many of its runs are left: on DynamoDB Local some would take
 * minutes. `.ci/nightly` runs them in full.
 */
if (process.env["POSTERN_WHOLE_PROPERTIES"] === undefined) {
  fc.configureGlobal({ interruptAfterTimeLimit: 15_000 });
}
