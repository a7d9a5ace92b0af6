const program = `
  let ahead = 0;
  for (const clock of [Date, performance]) {
    const now = clock.now.bind(clock);
    clock.now = () => now() + ahead;
  }
  process.on("SIGUSR2", () => {
    ahead += 10_000;
  });`;

/** Variables with which a process can be made to believe that it is later: a server remembers some things for 10 seconds. */
export const movableClock = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };

/** Sets the clocks of a process that was started with `movableClock` forward by 10 seconds. */
export const tenSecondsLater = (pid: number | undefined): void => {
  if (pid === undefined) throw new Error("the process did not start");
  process.kill(pid, "SIGUSR2");
};
