import {
  type CopyId,
  EmailAddress,
  err,
  ok,
  parseCopyId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type PageRequest, walkPages } from "@postern/core/store";
import type { Copy, CopyPurpose, CopyState, ForwardingPause } from "@postern/mail";
import { systemClock } from "@postern/node";
import { accountArgument } from "../account/account-argument.ts";
import type { Command } from "../command.ts";
import { explainCause } from "../explain-cause.ts";
import { printEach } from "../print-each.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import { timeOf } from "../time-of.ts";
import { explainPause } from "./explain-pause.ts";
import { type OpenedSpool, withSpool } from "./with-spool.ts";

const spoolFailed = (error: Unavailable, action: string): string =>
  `The spool failed (${explainCause(error)}): ${action}.`;

/** A copy in JSON form. Contains no address, only the domain that the copy is sent to, which is where it is refused. */
const described = ({ id, message, to, purpose, state, attempts, nextAt, reason }: Copy) => ({
  copy: id,
  message,
  state,
  attempts,
  nextAt: timeOf(nextAt),
  reason,
  to: EmailAddress.domain(to),
  for: purpose.kind,
  ...(purpose.kind === "forward" && {
    account: purpose.alias.account,
    alias: purpose.alias.id,
    recipient: purpose.recipient,
  }),
  ...(purpose.kind === "reply" && { account: purpose.alias.account, alias: purpose.alias.id }),
  ...(purpose.kind === "verification" && { account: purpose.account, recipient: purpose.recipient }),
});

const ownerOf = (purpose: CopyPurpose): string => {
  switch (purpose.kind) {
    case "forward":
      return `account ${printable(purpose.alias.account)}, alias ${purpose.alias.id}`;
    case "reply":
      return `account ${printable(purpose.alias.account)}, written from alias ${purpose.alias.id}`;
    case "postmaster":
      return "the operator";
    case "verification":
      return `account ${printable(purpose.account)}, a recipient to be verified`;
    case "notice":
      return purpose.alias === null
        ? "a sender (failure notice)"
        : `account ${printable(purpose.alias.account)}, a notice about alias ${purpose.alias.id}`;
  }
};

const lineOf = (copy: Copy): string =>
  [
    copy.id,
    `attempts ${copy.attempts}`,
    `next ${timeOf(copy.nextAt)}`,
    printable(EmailAddress.domain(copy.to)),
    copy.reason ?? "-",
    `for ${ownerOf(copy.purpose)}`,
  ].join("\t");

export const list: Command["run"] = async ({ spoolPath }, _args, flags) => {
  const format = flags.has("json") ? (copy: Copy) => JSON.stringify(described(copy)) : lineOf;
  return withSpool(spoolPath, async (spool) => {
    const copies = walkPages((page: PageRequest<CopyId>) => spool.list(page));
    const printed = await printEach(copies, format);
    const pause = await spool.pause();
    return printed.andThen(({ count, failure }) => {
      if (failure !== null)
        return err(spoolFailed(failure, `the list is incomplete. Copies listed: ${count}`));
      if (pause.isErr()) return err(spoolFailed(pause.error, `try again. Copies waiting: ${count}`));
      return ok(`Copies waiting: ${count}.${pause.value === null ? "" : ` ${explainPause(pause.value)}.`}`);
    });
  });
};

/** A command about one copy. */
const ofCopy =
  (
    work: (spool: OpenedSpool, copy: CopyId, flags: ReadonlySet<string>) => Promise<Result<string, string>>,
  ): Command["run"] =>
  async ({ spoolPath }, [text], flags) => {
    const copy = parseCopyId(text);
    if (copy.isErr()) return err("COPY is not the id of a copy: `mail queue list` shows them.");
    return withSpool(spoolPath, (spool) => work(spool, copy.value, flags));
  };

const UNKNOWN = "The spool knows no such copy: copies are forgotten 35 days after their message arrived.";

export const show = ofCopy(async (spool, id, flags) => {
  const found = await spool.find(id);
  if (found.isErr()) return err(spoolFailed(found.error, "try again"));
  if (found.value === null) return err(UNKNOWN);
  const { copy, message } = found.value;
  const all = { ...described(copy), receivedAt: timeOf(message.createdAt), bytes: message.size };
  const lines = flags.has("json")
    ? [JSON.stringify(all, null, 2)]
    : Object.entries(all)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${printable(String(value))}`);
  return (await printLines(lines)).map(() => "This is the current state.").mapErr((reason) => `${reason}.`);
});

/** What a command says about a copy in a state other than the one the command leads to. */
const STATES = {
  queued: "The copy is waiting.",
  sent: "The copy was sent: nothing was changed.",
  failed: "The copy failed, and the body of its message is gone: nothing was changed.",
  expired: "The copy was given up, and the body of its message is gone: nothing was changed.",
  dropped: "The copy was dropped, and the body of its message is gone: nothing was changed.",
} as const satisfies Record<CopyState, string>;

/** What a running server does now that some copies are due. */
const whatHappens = (pause: ForwardingPause | null, them: "it" | "them"): string => {
  if (pause === null) {
    return `Within 10 seconds a running server tries ${them}, unless the account is suspended, or drops ${them} if the recipient or alias is gone.`;
  }
  const asked = { relay: "asks the relay", refusals: "tries the relay", store: "asks the store" };
  return `${explainPause(pause)}. Within seconds a running server ${asked[pause.reason]} again, and sends what waits as soon as it can: its log and \`mail queue list\` say whether it did.`;
};

const retryOne = ofCopy(async (spool, id) => {
  const now = systemClock.now();
  const state = await spool.retry(id, now);
  const pause = await spool.hurry(now);
  if (state.isErr()) return err(spoolFailed(state.error, "try again"));
  if (pause.isErr()) return err(spoolFailed(pause.error, "try again"));
  if (state.value === null) return err(UNKNOWN);
  return state.value === "queued"
    ? ok(`The copy is due now. ${whatHappens(pause.value, "it")}`)
    : err(STATES[state.value]);
});

const retryAll: Command["run"] = async ({ spoolPath }) =>
  withSpool(spoolPath, async (spool) => {
    const now = systemClock.now();
    const size = await spool.size();
    if (size.isErr()) return err(spoolFailed(size.error, "try again"));
    let count = 0;
    // No more than there are: a server puts some of them off again meanwhile.
    for (let due = -1; due !== 0 && count < size.value.queued; count += due) {
      const made = await spool.retryAll(now);
      if (made.isErr()) return err(spoolFailed(made.error, `try again. Copies made due: ${count}`));
      due = made.value;
    }
    const pause = await spool.hurry(now);
    if (pause.isErr()) return err(spoolFailed(pause.error, `try again. Copies made due: ${count}`));
    return ok(
      `All copies that wait are due now: ${count} were not before. ${whatHappens(pause.value, "them")}`,
    );
  });

export const retry: Command["run"] = async (...input) => {
  const [, args, flags] = input;
  if (flags.has("all") !== (args.length === 0)) return null;
  return flags.has("all") ? retryAll(...input) : retryOne(...input);
};

const NOBODY_KNOWS = "nothing is counted, and nobody is notified";

const dropOne = ofCopy(async (spool, id) => {
  const state = await spool.drop(id, systemClock.now());
  if (state.isErr()) return err(spoolFailed(state.error, "try again"));
  if (state.value === null) return err(UNKNOWN);
  if (state.value === "dropped") return ok(`Dropped: it will not be sent, ${NOBODY_KNOWS}.`);
  return err(state.value === "sent" ? STATES.sent : "The copy was no longer waiting: nothing was changed.");
});

const dropAccount: Command["run"] = async ({ spoolPath }, args) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  return withSpool(spoolPath, async (spool) => {
    for (let count = 0; ; ) {
      const dropped = await spool.dropAll(account.value, systemClock.now());
      if (dropped.isErr()) return err(spoolFailed(dropped.error, `try again. Copies dropped: ${count}`));
      if (dropped.value === 0) return ok(`Copies dropped: ${count}. They will not be sent, ${NOBODY_KNOWS}.`);
      count += dropped.value;
    }
  });
};

export const drop: Command["run"] = (...input) => {
  const [, , flags] = input;
  return flags.has("account") ? dropAccount(...input) : dropOne(...input);
};
