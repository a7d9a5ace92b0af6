/**
 * The update that saves settings of type `T`. `fields` must name every field of `T`, so a field added to `T` does not
 * compile until it is saved as well.
 */
export const settingsUpdate = <T extends object>(fields: Readonly<Record<keyof T, true>>) => {
  const names = Object.keys(fields);
  const expression = {
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  };
  return {
    expression,
    values: (settings: T): Readonly<Record<string, unknown>> =>
      Object.fromEntries(
        Object.entries(settings)
          .filter(([name]) => Object.hasOwn(fields, name))
          .map(([name, value]) => [`:${name}`, value]),
      ),
  };
};
