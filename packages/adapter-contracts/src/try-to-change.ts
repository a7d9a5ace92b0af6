/** Changes whatever can be changed in plain data that a store was given or has returned; frozen parts stay as they are. */
export const tryToChange = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    tryToChange(part);
    Reflect.set(value, name, "changed");
  }
};
