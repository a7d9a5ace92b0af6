const STEP = 100;

/**
 * A counter on a single terminal line that is overwritten. Writes nothing if standard error is not a terminal.
 *
 * @param total what there is in all, such as `of 12`; empty if nobody knows
 */
export const progress = (what: string, total = "") => {
  let done = 0;
  const show = () => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} ${what}${total === "" ? "" : ` ${total}`}`);
  };
  return {
    one: () => {
      done += 1;
      if (done % STEP === 0) show();
    },
    /** Sets how many are done now. */
    reached: (count: number) => {
      done = count;
      show();
    },
    end: () => {
      show();
      if (process.stderr.isTTY) process.stderr.write("\n");
    },
  };
};
