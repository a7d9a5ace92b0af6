import { existsSync, readFileSync } from "node:fs";

/** `CAP_SYS_ADMIN` (linux/capability.h). */
const SYS_ADMIN = 1n << 21n;

const STATUS = "/proc/self/status";

/** Whether this process can mount a file system in a file: root on Linux can, but often not in a container. */
export const CAN_MOUNT =
  existsSync(STATUS) &&
  existsSync("/dev/loop-control") &&
  (BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(readFileSync(STATUS, "utf8"))?.[1] ?? "0"}`) & SYS_ADMIN) !== 0n;
