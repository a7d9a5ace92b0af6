import type * as z from "zod";

/**
 * The schema itself, which from now on first asks `is` whether it would accept the input and leave it as it is. That is so for nearly all
 * stored values, and asking takes a fraction of the time of the schema's own checks: those then only have to convert a value, or say what
 * is wrong with it. A schema that is derived from this one by adding checks does not ask.
 */
export const withGuard = <Schema extends z.ZodType>(
  schema: Schema,
  is: (input: unknown) => input is z.output<Schema>,
): Schema => {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => (is(payload.value) ? payload : run(payload, context));
  return schema;
};
