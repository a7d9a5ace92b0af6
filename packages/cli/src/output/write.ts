// Without listeners, a failure would end the program with a stack trace. `write` reports it to whoever called.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

/** Writes to standard output, no faster than it is read. Rejects with the system's error, such as `EPIPE` after `| head -1`. */
export const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) =>
    process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
  );

/** Tells the person at the terminal something that is not what a script reads. */
export const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
