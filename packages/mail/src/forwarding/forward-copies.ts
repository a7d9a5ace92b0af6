import { type Domain, EmailAddress, type NonEmpty, type PortResult, parseEmailAddress } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import { Copy, RELAY_PAUSE } from "../copy/copy.ts";
import { rulesOf } from "../copy/purpose.ts";
import { accountOf, groupOf } from "../copy/taking.ts";
import { parseAddressList } from "../header/address-list.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { bounceAddress } from "../message/bounce-address.ts";
import { BodyGone, isGone, type MailBody } from "../message/mail-body.ts";
import type { Message } from "../message/message.ts";
import type { RelayAnswer } from "../relay.ts";
import { forwardedHeader } from "../rewriting/forwarded-header.ts";
import { namingItself } from "../rewriting/naming-itself.ts";
import type { SentMail } from "../signer.ts";
import type { DueCopy, ForwardingPause } from "../spool.ts";
import { knownPause } from "./known-pause.ts";
import { noOutage } from "./outage.ts";
import { newPause, REFUSALS_IN_A_ROW } from "./pause.ts";
import { noRefusedDomains } from "./refused-domains.ts";
import { settleCopy } from "./settle-copy.ts";
import { type WantedCopy, wantedCopies } from "./wanted-copies.ts";

/** The maximum number of copies that are sent at the same time: more connections to the relay would not be useful. */
export const COPIES_AT_ONCE = 20;

/** How many copies are held while they wait to be sent, so that those with the same header mostly come together and it is signed once. */
const COPIES_HELD = 100;

/**
 * How long to wait before a relay that cannot be used is asked again, in milliseconds: soon after it has failed, because most are only
 * being restarted; but not so often that a provider would take it for an attack.
 */
export const PROBE_DELAYS: NonEmpty<number> = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];

/** There was no attempt. `resumed`: the copy is due once forwarding is no longer paused. `later`: for five minutes. */
type PutOff = { readonly kind: "put off"; readonly until: "resumed" | "later" };

const UNTIL_RESUMED: PutOff = { kind: "put off", until: "resumed" };
const LATER: PutOff = { kind: "put off", until: "later" };

/** RFC 3463: our system is not configured correctly. */
const NOT_SIGNED: RelayAnswer = { kind: "deferred", about: "copy", code: null, status: "4.3.5" };

/** As if a server had refused it. RFC 3463: a fault of the mail system. */
const BODY_GONE: RelayAnswer = { kind: "refused", about: "copy", code: 554, status: "5.3.0" };

/** A copy that has been taken but not sent yet. `sign` gives all copies of its group the same message, signed once; null if that failed. */
type Waiting = WantedCopy & {
  readonly sign: () => Promise<SentMail | null>;
  /** Whether the relay could not be used for it, although it served others. */
  readonly isDoubtful?: boolean;
};

/** The answer to an attempt that has yet to be stored. */
type Unsettled = { readonly due: DueCopy; readonly answer: RelayAnswer | PutOff };

/**
 * Whether the answer can mean that the relay refuses everything. Anybody with an account can have verification messages sent to mailboxes
 * that do not exist, and must not be able to stop all mail that way. Nor must notices stop it: there are relays that refuse the null sender
 * and nothing else.
 */
const isDoubtful = ({ purpose }: Copy, answer: RelayAnswer | PutOff): boolean =>
  answer.kind === "refused" &&
  answer.about === "copy" &&
  answer !== BODY_GONE &&
  purpose.kind !== "verification";

/** The domain of the envelope sender; null for the null sender. */
const senderDomain = ({ copy }: DueCopy): Domain | null => rulesOf(copy.purpose).domain;

/** The domain of the author of a message; null if it has none. */
const authorDomain = ({ header }: Message): Domain | null => {
  const [from = ""] = HeaderFields.values(HeaderFields.split(header), "from");
  return parseEmailAddress(parseAddressList(from)[0]?.address).match(EmailAddress.domain, () => null);
};

/** The domain that signs: that of the alias or, for a notice, of its author. Null only for a notice without an author. */
const signingDomain = (due: DueCopy): Domain | null => senderDomain(due) ?? authorDomain(due.message);

/** The body as long as the copy is wanted: no server takes a message that breaks off (RFC 5321, section 4.1.1.4). */
const whileWanted = (body: MailBody, isWanted: () => Promise<boolean>, onGone: () => void): MailBody => {
  const check = async (): Promise<void> => {
    if (!(await isWanted())) throw new Error("the copy is no longer wanted");
  };
  return {
    size: body.size,
    read: async function* () {
      await check();
      try {
        for await (const chunk of body.read()) {
          yield chunk;
          await check();
        }
      } catch (thrown) {
        if (thrown instanceof BodyGone) onGone();
        throw thrown;
      }
    },
  };
};

/** A function that makes the value when first called. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/**
 * Sends the copies that are due, up to `copiesAtOnce` at the same time: each takes up a place. The header is written and signed once for
 * all copies of a message for one alias; each copy is then sent in its own SMTP transaction, and its outcome is stored at once. A slow copy
 * delays no others, except that it takes up its place.
 *
 * - An account gets another place only while more places are free than it has. So it can have half of them, and however long its copies
 *   take, a place is left for everybody else; with 20 places, even if the copies of three other accounts take just as long.
 * - A copy whose body is gone fails at once, so that its sender learns of it.
 * - A copy that had to wait for more than half a second, whether for a place or for the relay to greet, to take RCPT or DATA or a part of
 *   the body, is sent on only if it is still wanted by then. Otherwise, the body breaks off, and what the relay answers does not matter.
 * - If the relay cannot be used at all, nothing more is sent, and nothing counts as an attempt. The relay is probed after 1, 2, 5, 15, 60 and
 *   then every 300 seconds, and as soon as that succeeds, everything that waits is due. The delays begin anew once the relay has taken a
 *   copy. It counts as usable if it has accepted another copy since the attempt began: then that copy is tried once more.
 * - The pause is stored in the spool, where an operator sees it and can end the wait, and a new process finds it, which probes at once.
 * - After 20 refusals in a row, nothing is sent for five minutes, so that a relay that refuses everything does not make the queue bounce. A
 *   refusal is therefore believed only after the next acceptance, or once fewer than 20 copies could be refused in a row even if all others
 *   that are due were refused as well, or once the copy has been tried for five days.
 * - If the relay turns away connections while it serves others, the copies wait for those, and there are fewer places for five minutes, or
 *   until the relay is there again after a pause.
 * - If the relay refuses an alias domain as sender, only mail from that domain is deferred, each copy for five days. After 20 refusals of
 *   the domain in a row, no more of its mail is sent for five minutes, and nothing counts as an attempt, so that all of it leaves soon
 *   after the domain is accepted; then the domain is tried again.
 * - An outcome that could not be stored is stored by the next call, before any other copy is sent. After a crash before that, the copy is
 *   sent again, with the same `Message-ID`.
 */
export const forwardCopies = (context: MailContext) => {
  const { spool, signer, relay, serverName, secrets, clock, copiesAtOnce } = context;
  const { probeDelays, onCopyEnded } = context;
  const wanted = wantedCopies(context);
  const settle = settleCopy(context);
  /** The pause for all mail. */
  const outage = noOutage({ clock, random: secrets.random }, probeDelays);
  const isPaused = (): boolean => outage.current() !== null;
  let probing: Promise<void> | null = null;
  /** Whether the copies that are due should be looked at, although none is sent. */
  let isLookDue = false;
  const known = knownPause(context);
  const forwardingPause = (): ForwardingPause | null => outage.current() ?? wanted.pause();
  const refusedDomains = noRefusedDomains(clock);
  /** On while the relay wants fewer connections than `copiesAtOnce`. */
  const scarcity = newPause(clock);
  /** One fewer for each connection that the relay turned away: at least as many as it serves. */
  let places = copiesAtOnce;
  const allPlaces = (): number => (scarcity.isOn() ? places : copiesAtOnce);
  /** Taken, but not sent yet: about 100 at most. */
  let waiting: readonly Waiting[] = [];
  /** Whether the spool had no more due copies, of any account, when it was last asked. */
  let isDrained = false;
  /** The attempts in progress, each until its answer is stored, with the account that the copy belongs to. */
  const attempts = new Map<Promise<void>, string>();
  /** How many of these have no answer yet. */
  let unanswered = 0;
  let acceptances = 0;
  /** Refusals of copies since the relay last accepted anything. */
  let refusals = 0;
  /** The refusals that are neither believed nor put off yet: fewer than 20. */
  let doubted: readonly Unsettled[] = [];
  /** At most as many as are taken and sent at a time. */
  let unsettled: readonly Unsettled[] = [];
  /** What attempts rejected with. */
  const defects: unknown[] = [];

  /** Stores the answers, and remembers those that could not be stored. */
  const settleAll = async (answers: readonly Unsettled[]): Promise<void> => {
    const settleOne = async (each: Unsettled): Promise<void> => {
      const { due } = each;
      const after = (answer: RelayAnswer | PutOff) => {
        const now = clock.now();
        if (answer.kind !== "put off") return Copy.after(due.copy, answer, now, secrets.random);
        const isLater = answer.until === "later";
        // Otherwise it stays in its place in the queue.
        return Copy.putOff(due.copy, now, isLater ? now + RELAY_PAUSE : Math.min(due.copy.nextAt, now));
      };
      const settled = await settle(due, after(each.answer), () => after(LATER));
      if (settled.isErr()) unsettled = [...unsettled, each];
    };
    await Promise.all(answers.map(settleOne));
  };

  const putOff = (copies: readonly Pick<Unsettled, "due">[]): Promise<void> =>
    settleAll(copies.map(({ due }) => ({ due, answer: UNTIL_RESUMED })));

  const putWaitingBack = async (): Promise<void> => {
    const copies = waiting;
    waiting = [];
    await putOff(copies);
  };

  /** Believes the refusals or puts the copies off, if it is time for that. Returns whether it did. */
  const judgeRefusals = async (): Promise<boolean> => {
    const judged = doubted;
    if (refusals >= REFUSALS_IN_A_ROW) {
      outage.begin("refusals", null, RELAY_PAUSE);
      refusals = 0;
      doubted = [];
      // Otherwise mail that nobody accepts would be tried forever if there is no other mail.
      const isOver = ({ due }: Unsettled) => Copy.isOver(due.copy, clock.now());
      await Promise.all([
        settleAll(judged.filter(isOver)),
        putOff(judged.filter((refused) => !isOver(refused))),
      ]);
      return true;
    }
    const isAtMost = refusals + unanswered + waiting.length;
    if (refusals > 0 && !(isDrained && isAtMost < REFUSALS_IN_A_ROW)) return false;
    doubted = [];
    await settleAll(judged);
    return judged.length > 0;
  };

  const headerOf = ({ copy, message }: DueCopy): string =>
    message.origin === "own" || (copy.purpose.kind !== "forward" && copy.purpose.kind !== "postmaster")
      ? message.header
      : forwardedHeader(message, copy.purpose, { serverName, spool: spool.id, secrets });

  const sign = async (due: DueCopy, domain: Domain): Promise<SentMail | null> => {
    const { copy, message, body } = due;
    const isAnswered = copy.purpose.kind === "forward" || copy.purpose.kind === "reply";
    const header = relay.replacesMessageId && isAnswered ? namingItself(headerOf(due)) : headerOf(due);
    const authentication = message.origin === "received" ? message.authentication : null;
    return (await signer.sign({ domain, header, body, authentication })).unwrapOr(null);
  };

  /** Null if the copy is no longer wanted. */
  const send = async ({ due, sign, ...waiting }: Waiting): Promise<RelayAnswer | PutOff | null> => {
    const { copy } = due;
    let isWanted = await waiting.isWanted();
    if (!isWanted) return null;
    const sender = senderDomain(due);
    // The last attempt of a copy is made in any case, so that no copy waits longer because there are many.
    const isLast = Copy.isOver(copy, clock.now());
    const putOff = (): PutOff | null => {
      if (isPaused()) return UNTIL_RESUMED;
      return sender !== null && !isLast && refusedDomains.isPaused(sender) ? LATER : null;
    };
    const mail = putOff() === null ? await sign() : null;
    const notNow = putOff();
    if (notNow !== null) return notNow;
    if (mail === null) return (await isGone(due.body)) ? BODY_GONE : NOT_SIGNED;
    let isBodyGone = false;
    const body = whileWanted(
      mail.body,
      async () => {
        isWanted = await waiting.isWanted();
        return isWanted;
      },
      () => {
        isBodyGone = true;
      },
    );
    const from = sender && bounceAddress(secrets.hash, { copy: copy.id, spool: spool.id }, sender);
    const acceptedBefore = acceptances;
    const answer = await relay.send({ envelope: { from, to: copy.to }, header: mail.header, body });
    if (!isWanted) return null;
    if (answer.kind === "accepted") {
      acceptances += 1;
      outage.works();
      if (outage.current()?.reason === "relay") resume();
      if (sender !== null) refusedDomains.accept(sender);
    }
    if (answer.kind !== "deferred") return answer;
    // Not every signer reads it.
    if (isBodyGone) return BODY_GONE;
    if (answer.about === "relay") {
      if (acceptances === acceptedBefore) outage.begin("relay", answer.cause ?? null);
      return isPaused() ? UNTIL_RESUMED : answer;
    }
    if (answer.about !== "sender" || sender === null) return answer;
    refusedDomains.refuse(sender);
    return refusedDomains.isPaused(sender) && !isLast ? LATER : answer;
  };

  /** Ends the pause. What the relay served before says nothing about how many connections it allows now. */
  const resume = (): void => {
    outage.end();
    scarcity.end();
    isLookDue = false;
  };

  const probe = async (): Promise<void> => {
    const probed = await relay.probe?.();
    if (probed?.isErr() === true) {
      outage.goOn(probed.error.cause ?? null);
      isLookDue = true;
      return;
    }
    // Attempts that began earlier say nothing about how it is now.
    acceptances += 1;
    resume();
  };

  const startProbe = (): void => {
    const attempt = probe()
      .catch((defect: unknown) => void defects.push(defect))
      .finally(() => {
        probing = null;
        onCopyEnded();
      });
    probing = attempt;
  };

  /** Makes the pause known, and ends it or its wait if it is time for that. */
  const watchPause = async (): PortResult<void> => {
    const earlier = await known.load();
    if (earlier.isErr()) return err(earlier.error);
    if (earlier.value !== null) outage.restore(earlier.value);
    // First: what the operator asked for before it last was tried has been done.
    const published = await known.publish(forwardingPause());
    if (published.isErr()) return err(published.error);
    if (await known.isHurried()) for (const each of [outage, wanted]) each.hurry();
    // Only copies can find out whether it still refuses everything.
    if (outage.current()?.reason === "refusals" && !outage.isWaiting()) resume();
    return known.publish(forwardingPause());
  };

  /** While nothing is sent. Returns when there is something to do. */
  const waitForRelay = async (): PortResult<number | null> => {
    isDrained = true;
    await Promise.all([putWaitingBack(), judgeRefusals()]);
    if (isLookDue) {
      // Links expire, and accounts stay suspended for too long, whether or not there is a relay.
      isLookDue = false;
      const taken = await wanted.take(clock.now(), COPIES_HELD, []);
      if (taken.isErr()) return err(taken.error);
      // Others come first the next time.
      const nextAt = clock.now();
      await putOff(taken.value.copies.map(({ due }) => ({ due: { ...due, copy: { ...due.copy, nextAt } } })));
    }
    if (probing === null && !outage.isWaiting()) {
      startProbe();
      return ok(null);
    }
    return ok(probing === null ? (outage.current()?.nextAt ?? null) : null);
  };

  const forward = async (copy: Waiting): Promise<void> => {
    const { due } = copy;
    let answer: RelayAnswer | PutOff | null;
    unanswered += 1;
    try {
      answer = await send(copy);
    } finally {
      unanswered -= 1;
    }
    if (answer === null) {
      await judgeRefusals();
      return;
    }
    if (answer.kind === "deferred" && answer.about === "relay" && copy.isDoubtful !== true) {
      // It may have stopped right after it accepted the other copy: the next attempt tells.
      waiting = [{ ...copy, isDoubtful: true }, ...waiting];
      return;
    }
    const fewer = allPlaces() - 1;
    if (answer.kind === "deferred" && answer.about === "connection" && fewer > 0) {
      places = fewer;
      scarcity.begin();
      // This does not count as an attempt: the copy waits for a place among the others.
      waiting = [copy, ...waiting];
      return;
    }
    if (answer.kind === "accepted") refusals = 0;
    if (isDoubtful(due.copy, answer)) {
      refusals += 1;
      doubted = [...doubted, { due, answer }];
    } else await settleAll([{ due, answer }]);
    await judgeRefusals();
  };

  /** Negative if there were more places when the attempts in progress began. */
  const freePlaces = (): number => allPlaces() - attempts.size;

  /** Whether the account can have another place. */
  const hasPlace = (party: string): boolean =>
    [...attempts.values()].filter((other) => other === party).length < freePlaces();

  const start = (copy: Waiting): void => {
    const attempt = forward(copy)
      .catch((defect: unknown) => void defects.push(defect))
      .finally(() => {
        attempts.delete(attempt);
        onCopyEnded();
      });
    attempts.set(attempt, accountOf(copy.due.copy));
  };

  /** Starts sending the waiting copies that can have a place. */
  const begin = (): void => {
    waiting = waiting.filter((copy) => {
      const begins = hasPlace(accountOf(copy.due.copy));
      if (begins) start(copy);
      return !begins;
    });
  };

  /** Takes copies of the accounts that can have a place. Returns whether there are more of them. */
  const take = async (now: number): PortResult<boolean> => {
    const except = [...new Set(attempts.values())].filter((party) => !hasPlace(party));
    const taken = await wanted.take(now, Math.max(1, COPIES_HELD - waiting.length), except);
    if (taken.isErr()) return err(taken.error);
    const { copies, more } = taken.value;
    isDrained = !more && except.length === 0;
    for (const group of Map.groupBy(copies, ({ due }) => groupOf(due.copy)).values()) {
      const signOnce = once(async () => {
        const first = group[0]?.due;
        const domain = first && signingDomain(first);
        return first && domain ? sign(first, domain) : null;
      });
      waiting = [...waiting, ...group.map((copy) => ({ ...copy, sign: signOnce }))];
    }
    return ok(more);
  };

  return {
    /**
     * Starts sending copies that are due, as far as they can have a place, and does not wait for them. Returns when to call it again, in
     * epoch milliseconds; null if there is nothing to do before an attempt ends or a message is kept. Call it in these cases, too. Calls
     * must not overlap.
     *
     * `unavailable` if the spool does not work: call it again later.
     */
    forwardCopies: async (): PortResult<number | null> => {
      const [defect] = defects.splice(0);
      if (defect !== undefined) throw defect;
      const late = unsettled;
      unsettled = [];
      await settleAll(late);
      if (unsettled.length > 0) return err({ code: "unavailable" });

      const watched = await watchPause();
      if (watched.isErr()) return err(watched.error);
      if (isPaused()) return waitForRelay();
      begin();
      if (freePlaces() <= 0) return ok(null);
      const now = clock.now();
      const more = await take(now);
      if (more.isErr()) return err(more.error);
      begin();
      // A notice to a sender may be due now.
      if (await judgeRefusals()) return ok(now);
      if (freePlaces() <= 0) return ok(null);
      return more.value ? ok(now) : spool.nextDue(now);
    },

    /** Why mail that waits is not sent for now; null if it is. Then an operator can ask for it at any time: call `forwardCopies` every second. */
    forwardingPause,

    /**
     * Resolves once no copy is being sent, and the relay is not being probed. Copies that have been taken but not sent yet wait for the next
     * call of `forwardCopies`, unless they are put back.
     */
    finishForwarding: async (): Promise<void> => {
      await Promise.all([...attempts.keys(), probing]);
    },

    /**
     * Puts back into the queue, for another process, what has been taken but not sent yet, and what was refused if that is not believed yet.
     * Must not overlap with `forwardCopies`.
     */
    putBack: async (): Promise<void> => {
      const refused = doubted;
      doubted = [];
      // They can be refused again.
      refusals = Math.max(0, refusals - refused.length);
      await Promise.all([putWaitingBack(), putOff(refused)]);
    },
  };
};
