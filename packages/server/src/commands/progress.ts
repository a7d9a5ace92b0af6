const STEP = 100;

/** Counts on a terminal, in a line that is written over; says nothing anywhere else. */
export const progress = (what: string) => {
  let done = 0;
  const show = () => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} ${what}`);
  };
  return {
    one: () => {
      done += 1;
      if (done % STEP === 0) show();
    },
    end: () => {
      show();
      if (process.stderr.isTTY) process.stderr.write("\n");
    },
  };
};
