/** How long the description of an alias can be, in UTF-16 code units, as fields count. */
export const LONGEST_DESCRIPTION = 500;
