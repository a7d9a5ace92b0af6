/**
 * An immutable copy of plain data, which the store and all of its callers can share. This is faster than a copy for each.
 */
export const frozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null) return value;
  // Sound because the copy has the same type as the original.
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T;
  const copy = { ...value };
  for (const key in copy) copy[key] = frozen(copy[key]);
  return Object.freeze(copy);
};
