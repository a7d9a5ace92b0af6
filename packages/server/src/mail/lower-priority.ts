import { constants, getPriority, setPriority } from "node:os";

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * Lowers the priority of the calling thread, and of those that it starts from now on: requests are answered first where there is more
 * to do than there are processors for. Only on Linux, where a thread has a priority of its own.
 */
export const lowerPriority = (): void => {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A sandbox can forbid it.
  }
};
