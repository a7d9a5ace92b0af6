/** What the keys of the spool's objects begin with. Those of SES must not. */
export const SPOOL_PREFIX = "spool/";
