import { constants, getPriority, setPriority } from "node:os";

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * Lowers the priority of the calling thread, and of threads that it starts from now on, so that requests are answered first when
 * there is more to do than the processors can handle. Only on Linux, where each thread has its own priority.
 */
export const lowerPriority = (): void => {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A sandbox can forbid it.
  }
};
