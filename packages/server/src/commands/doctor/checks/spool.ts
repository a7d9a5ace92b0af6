import { join, resolve } from "node:path";
import { readPause, verifySpool } from "@postern/adapter-sqlite";
import type { ForwardingPause } from "@postern/mail";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { explainPause } from "../../mail/explain-pause.ts";
import { checkOf, type Found, fine, skippedAfter, together, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { freeSpace, onlyOwners, placeAt, usableDirectory } from "./places.ts";

const permissions = async (path: string): Promise<Found> => {
  const usable = await usableDirectory(path);
  const directory = usable.status === "ok" ? await placeAt(path) : null;
  if (directory === null) return usable;
  const found = onlyOwners(directory, "700", "look into the mail in it");
  return found.status === "ok"
    ? fine(`${path} belongs to uid ${directory.uid}, and no other user can use it`)
    : found;
};

/** Whether the database is still there, if there was one. */
const database = async (path: string): Promise<Found> => {
  const names = ["spool.db", "spool.db-wal", "spool.db-lock", "bodies"];
  const [found, ...others] = await Promise.all(names.map((name) => placeAt(join(path, name))));
  return found !== null || others.every((other) => other === null)
    ? fine(path)
    : wrong(
        `${join(path, "spool.db")} is missing, though there was a spool in this directory: it was moved or deleted`,
        "Move it back, with its -wal and bodies. If it was deleted, a running server refuses mail, but still sends what was in it: wait until postern_mail_queued_copies is 0, then restart it",
      );
};

const VERIFY_TIMEOUT_MS = 10_000;

const integrity = async (path: string): Promise<Found> => {
  const start = performance.now();
  const verified = await verifySpool(path, VERIFY_TIMEOUT_MS);
  if (verified.isOk()) {
    return verified.value === "intact"
      ? fine(`no damage found in ${((performance.now() - start) / 1000).toFixed(1)} s`)
      : warning(
          `the database is too large to be checked in ${VERIFY_TIMEOUT_MS / 1000} s`,
          "Stop the server, and check it with the command sqlite3, as docs/mail.md says under A damaged spool",
        );
  }
  const { code, cause } = verified.error;
  return code === "damaged"
    ? wrong(
        `the database is damaged (${cause.reason})`,
        "Stop the server and keep a copy of the directory; what to do then is in docs/mail.md, under A damaged spool",
      )
    : wrong(
        `could not be checked (${cause.reason})`,
        "Try again. If this persists, look for disk errors and for killed processes in the kernel's log (dmesg)",
      );
};

const ACTIONS = {
  relay:
    "See what relay says. Once that is right, mail leaves by itself at that time, or at once after `mail queue retry --all`",
  refusals:
    "Look up the reply code in the server's log and in that of the relay, and have the relay accept mail from this server; after `mail queue retry --all` it is tried at once",
  store: "See what store says. Once that is right, mail leaves by itself at that time",
} as const satisfies Record<ForwardingPause["reason"], string>;

/** Whether mail that waits is being sent. */
const forwarding = (path: string): Found => {
  const pause = readPause(path);
  if (pause.isErr()) {
    return warning(
      `whether forwarding is paused could not be read (${pause.error.reason})`,
      "If the spool is from an earlier version, start the server, which updates it",
    );
  }
  if (pause.value === null) return fine("not paused");
  const { reason } = pause.value;
  return wrong(explainPause(pause.value), ACTIONS[reason]);
};

/** Whether accepted mail can be stored, and will be sent. */
export const spool = checkOf({
  names: ["spool", "spool-integrity", "forwarding"],
  deadlineMs: VERIFY_TIMEOUT_MS + 2_000,
  variables: Variables.pick({ spoolPath: true, spoolLimit: true }),
  run: async ({ spoolPath, spoolLimit: limit }) => {
    const path = resolve(spoolPath);
    const space = await freeSpace(path, limit, `and ${ENV.spoolLimit} is ${sizeOf(limit)}`);
    const intact = await integrity(path);
    return {
      spool: together(await permissions(path), await database(path), space),
      "spool-integrity": intact,
      // Not on a disk that does not respond, or in a damaged file.
      forwarding: intact.status === "ok" ? forwarding(path) : skippedAfter("spool-integrity"),
    };
  },
});
