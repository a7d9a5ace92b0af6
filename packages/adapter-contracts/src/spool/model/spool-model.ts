import { type CopyId, FAILED_BODY_RETENTION, isNonEmpty, type MailEvent } from "@postern/core";
import {
  type AliasAddress,
  accountOf,
  aliasOfLog,
  Copy,
  canBeSentAgain,
  changesLog,
  groupOf,
  LONGEST_DELAY,
  type LoggedRevision,
  MAIL_RETENTION,
  type Mailing,
  type Message,
  type OwnMailing,
  type ReceivedBody,
  rememberedHeader,
  spoolOctets,
  type Taken,
  type UncountedOutcome,
  type Unlogged,
} from "@postern/mail";
import { expectEqual } from "../../expect.ts";

/** The expected content of a spool, as plain data. */
export type SpoolModel = {
  now: number;
  readonly messages: ModelMessage[];
  /** In the order in which they were stored. */
  readonly outcomes: ModelOutcome[];
  /** Bodies that were received, but not kept. */
  readonly received: { readonly body: ReceivedBody; readonly content: Uint8Array }[];
  /** Copies that were known once. */
  readonly forgotten: CopyId[];
  /** What has been logged, or is waiting to be. */
  readonly log: ModelLog[];
  /** Those waiting to be logged, in the order in which they became unlogged. */
  readonly unlogged: ModelLog[];
  /** What was last read in order to log it. */
  read: readonly LoggedRevision[];
};

type ModelMessage = {
  readonly mailing: Omit<Mailing, "body">;
  message: Message;
  readonly copies: ModelCopy[];
  /** Null once it is forgotten. */
  content: Uint8Array | null;
};

type ModelLog = { readonly message: Message["id"]; readonly alias: AliasAddress; revision: number };

export type ModelCopy = { copy: Copy; handedOut: boolean; noticed: boolean };

type ModelOutcome = { readonly copy: CopyId; readonly event: MailEvent; counted: boolean };

export const emptySpool = (now: number): SpoolModel => ({
  now,
  messages: [],
  outcomes: [],
  received: [],
  forgotten: [],
  log: [],
  unlogged: [],
  read: [],
});

export const copiesOf = ({ messages }: SpoolModel): readonly ModelCopy[] =>
  messages.flatMap(({ copies }) => copies);

export const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

export const isQueued = ({ copy }: ModelCopy): boolean => copy.state === "queued";

export const messageOf = (model: SpoolModel, { copy }: ModelCopy): ModelMessage => {
  const found = model.messages.find(({ message }) => message.id === copy.message);
  if (found === undefined) throw new Error("the model has no message for a copy");
  return found;
};

const isSameAlias = (one: AliasAddress, other: AliasAddress): boolean =>
  one.account === other.account && one.id === other.id;

const logOf = ({ log }: SpoolModel, { message, alias }: Omit<ModelLog, "revision">): ModelLog | undefined =>
  log.find((entry) => entry.message === message && isSameAlias(entry.alias, alias));

/** Notes that the log has to say something new about the message of the copy. */
const unlog = (model: SpoolModel, copy: Copy): void => {
  const alias = aliasOfLog(copy);
  if (alias === null) return;
  const found = logOf(model, { message: copy.message, alias });
  const entry = found ?? { message: copy.message, alias, revision: 0 };
  if (found === undefined) model.log.push(entry);
  entry.revision += 1;
  if (!model.unlogged.includes(entry)) model.unlogged.push(entry);
};

export const addMessage = (model: SpoolModel, mailing: Omit<Mailing, "body">, content: Uint8Array): void => {
  const copies = mailing.copies.map((copy) => ({ copy, handedOut: false, noticed: false }));
  model.messages.push({ mailing, message: mailing.message, copies, content });
  for (const copy of mailing.copies) {
    const alias = aliasOfLog(copy);
    if (alias !== null && logOf(model, { ...copy, alias }) === undefined) unlog(model, copy);
  }
};

/** Adds a copy to a message that was kept before. */
export const addCopy = (model: SpoolModel, to: ModelMessage, copy: Copy): void => {
  to.copies.push({ copy, handedOut: false, noticed: false });
  unlog(model, copy);
};

export const change = (model: SpoolModel, one: ModelCopy, after: Copy): void => {
  if (changesLog(one.copy, after)) unlog(model, after);
  one.copy = after;
};

/** What is expected of `Spool.unlogged`. */
export const unloggedOf = (model: SpoolModel): readonly Unlogged[] =>
  model.unlogged.map(({ message: id, alias, revision }) => {
    const found = model.messages.find(({ message }) => message.id === id);
    const copies = (found?.copies ?? []).flatMap(({ copy }) => {
      const other = aliasOfLog(copy);
      return other !== null && isSameAlias(other, alias) ? [copy] : [];
    });
    if (found === undefined || !isNonEmpty(copies)) throw new Error("the model has no message to be logged");
    return { alias, message: found.message, copies, hasBody: found.content !== null, revision };
  });

export const markLogged = (model: SpoolModel, revisions: readonly LoggedRevision[]): void => {
  for (const { id, account, alias, revision } of revisions) {
    const place = model.unlogged.findIndex(
      (entry) =>
        entry.message === id &&
        entry.alias.account === account &&
        entry.alias.id === alias &&
        entry.revision === revision,
    );
    if (place >= 0) model.unlogged.splice(place, 1);
  }
};

export const bytesOf = (model: SpoolModel): number => {
  const received = model.received.map(({ content }) => content.length);
  const kept = model.messages.map(({ content, mailing }) =>
    content === null ? 0 : content.length + spoolOctets(mailing),
  );
  return [...received, ...kept].reduce((sum, octets) => sum + octets, 0);
};

/** Stores the outcome, unless it is known already. */
export const record = (model: SpoolModel, { copy }: ModelCopy, event: MailEvent): boolean => {
  if (model.outcomes.some(({ event: { id } }) => id === event.id)) return false;
  model.outcomes.push({ copy: copy.id, event, counted: Copy.uncounted(copy, event) === null });
  return true;
};

/** The outcomes that have not been counted yet. */
export const uncountedOf = (model: SpoolModel): readonly UncountedOutcome[] =>
  model.outcomes
    .filter(({ counted }) => !counted)
    .map(({ copy: id, event }) => {
      const one = copiesOf(model).find(({ copy }) => copy.id === id);
      const uncounted = one && Copy.uncounted(one.copy, event);
      if (uncounted == null) throw new Error("the model has no copy for an outcome");
      return uncounted;
    });

/** Keeps the notice if it is time for it. */
export const keepIfNoneLeft = (model: SpoolModel, of: ModelCopy, notice: OwnMailing): void => {
  const group = copiesOf(model).filter(({ copy }) => groupOf(copy) === groupOf(of.copy));
  const isOver = group.every(
    ({ copy: { state }, noticed }) => !noticed && state !== "queued" && state !== "sent",
  );
  const hasFailed = group.some(({ copy: { state } }) => state === "failed" || state === "expired");
  if (!isOver || !hasFailed) return;
  for (const each of group) each.noticed = true;
  addMessage(model, notice, notice.body);
};

export const sweep = (model: SpoolModel): void => {
  for (const one of copiesOf(model).filter(isQueued)) {
    if (one.copy.nextAt > model.now + LONGEST_DELAY) change(model, one, Copy.retry(one.copy, model.now));
  }
  const done = model.messages.filter(({ copies }) => !copies.some(isQueued));
  for (const each of done) {
    const failed = each.copies.filter(({ copy }) => canBeSentAgain(copy));
    if (failed.some(({ copy }) => copy.since > model.now - FAILED_BODY_RETENTION)) continue;
    each.content = null;
    each.message = { ...each.message, header: rememberedHeader(each.message.header) };
  }
  for (const each of done) {
    const ids = each.copies.map(({ copy }) => copy.id);
    const waits = model.outcomes.some(({ copy, counted }) => !counted && ids.includes(copy));
    if (each.message.createdAt >= model.now - MAIL_RETENTION || waits || each.content !== null) continue;
    model.messages.splice(model.messages.indexOf(each), 1);
    model.forgotten.push(...ids);
    for (const logs of [model.log, model.unlogged]) {
      const kept = logs.filter(({ message }) => message !== each.message.id);
      logs.splice(0, logs.length, ...kept);
    }
    const others = model.outcomes.filter(({ copy }) => !ids.includes(copy));
    model.outcomes.splice(0, model.outcomes.length, ...others);
  }
};

const earliest = (copies: readonly ModelCopy[]): number => Math.min(...copies.map(({ copy }) => copy.nextAt));

/** Checks which copies were handed out, and notes that they were. */
export const expectTaken = (
  model: SpoolModel,
  { copies: taken, more }: Taken,
  limit: number,
  except: readonly string[],
): void => {
  const due = copiesOf(model).filter(
    (one) =>
      isQueued(one) &&
      !one.handedOut &&
      one.copy.nextAt <= model.now &&
      !except.includes(accountOf(one.copy)),
  );
  const found = taken.map((each) => {
    const one = due.find(({ copy }) => copy.id === each.copy.id);
    if (one === undefined) throw new Error("a copy was handed out that is not due, or again");
    expectEqual(
      { copy: each.copy, message: each.message, size: each.body.size },
      { copy: one.copy, message: messageOf(model, one).message, size: messageOf(model, one).content?.length },
    );
    return one;
  });
  expectEqual([found.length, new Set(found).size], [Math.min(limit, due.length), found.length]);
  expectEqual(more, found.length < due.length);

  const groups = [...Map.groupBy(due, ({ copy }) => groupOf(copy)).values()].map((all) => ({
    party: accountOf(all[0]?.copy ?? { purpose: { kind: "notice", alias: null } }),
    at: earliest(all),
    size: all.length,
    places: found.flatMap((one, place) => (all.includes(one) ? [place] : [])),
  }));
  const begun = groups.filter(({ places }) => places.length > 0);
  for (const { places, size } of begun) {
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    if (last - first + 1 !== places.length)
      throw new Error("the copies of a group are not next to each other");
    if (places.length < size && last !== found.length - 1)
      throw new Error("a group was divided before the end");
  }
  for (const one of begun) {
    for (const other of groups.filter(({ party, at }) => party === one.party && at < one.at)) {
      const isBefore = (other.places[0] ?? Number.POSITIVE_INFINITY) < (one.places[0] ?? 0);
      if (!isBefore)
        throw new Error("a copy was handed out before one of its account that has been due for longer");
    }
  }
  const served = (party: string) => begun.filter((group) => group.party === party).length;
  for (const { party, places } of groups) {
    if (places.length > 0) continue;
    for (const other of begun) {
      if (served(other.party) > served(party) + 1) throw new Error("an account was passed over");
    }
  }
  for (const one of found) one.handedOut = true;
};
