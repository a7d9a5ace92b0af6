/**
 * For `process.on("exit")`: ends the process with this status. Node would first wait for all threads to end, and would wait forever for
 * one that is stuck in the kernel.
 */
export const exitAtOnce = (status: number): void => {
  // Runs another program in its place, since Node has no other way to leave threads behind and return a status.
  process.execve?.(process.execPath, [process.execPath, "--eval", `process.exit(${status})`], {});
  process.kill(process.pid, "SIGKILL");
};
