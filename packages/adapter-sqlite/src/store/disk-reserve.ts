import { statfsSync } from "node:fs";
import { err, ok, type Store } from "@postern/core";
import { IN_MEMORY } from "../file/open-file.ts";

/** How much of the disk settings can still use when nothing else may use it, in octets. */
const RESERVE = 64 * 2 ** 20;

/** Whether the disk of the file has less free space than the reserve. */
export const isReserveNeeded = (file: string): boolean => {
  if (file === IN_MEMORY) return false;
  const { bavail, bsize, blocks } = statfsSync(file);
  // Some file systems have no size.
  return blocks > 0 && bavail * bsize < RESERVE;
};

/**
 * The ports through which strangers write: logged messages and announcements. While the disk is nearly full, messages are not logged, which
 * is `unavailable`, so that a spool that still has them tries again later; and nothing is announced, which is no failure: otherwise what is
 * announced could not be saved either.
 *
 * @param isNeeded whether the space that is left is needed for settings. May throw, which counts as no.
 */
export const yielding = (
  { messageLog, outbox }: Pick<Store, "messageLog" | "outbox">,
  isNeeded: () => boolean,
): Pick<Store, "messageLog" | "outbox"> => {
  const yields = (): boolean => {
    try {
      return isNeeded();
    } catch {
      return false;
    }
  };
  return {
    messageLog: {
      ...messageLog,
      save: async (...message) =>
        yields()
          ? err({ code: "unavailable", cause: { source: "disk", reason: "too little space for logs" } })
          : messageLog.save(...message),
    },
    outbox: {
      ...outbox,
      announce: async (...announcements) => (yields() ? ok() : outbox.announce(...announcements)),
    },
  };
};
