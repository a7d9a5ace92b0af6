import { err, ok } from "neverthrow";
import { parseAddressList } from "../../mail/address-list.ts";
import { Copy, RELAY_PAUSE } from "../../mail/copy.ts";
import { forwardedHeader } from "../../mail/forwarded-header.ts";
import { HeaderFields } from "../../mail/header-fields.ts";
import { bounceAddress } from "../../mail/mail-addresses.ts";
import type { DueCopy, MailRelay, MailSigner, RelayAnswer, Spool } from "../../mail/ports.ts";
import { groupOf } from "../../mail/taking.ts";
import type { Clock, PortResult, Secrets } from "../../ports.ts";
import { type Domain, EmailAddress, parseEmailAddress } from "../../values/email-address.ts";
import { isNonEmpty, type NonEmpty } from "../../values/non-empty.ts";
import type { prepareNotice } from "./prepare-notice.ts";

/** How many copies one pass takes at most. */
const COPIES_A_PASS = 100;

/** How many groups of copies are sent at the same time. The copies of one group are sent one after the other. */
const GROUPS_AT_ONCE = 20;

/**
 * After this many refusals without any acceptance in between, it is the relay that refuses everything, such as one that does
 * not know us any more and answers 550 to each recipient.
 */
const REFUSALS_IN_A_ROW = 20;

/** What one pass did. */
export type ForwardingPass = {
  /** How many copies were tried or put off. */
  readonly copies: number;
  /** When the next pass is worth it, in epoch milliseconds; null if nothing is queued. */
  readonly nextAt: number | null;
};

const RELAY_UNUSABLE: RelayAnswer = { kind: "deferred", about: "relay", code: null, status: null };
const NOT_SIGNED: RelayAnswer = { kind: "deferred", about: "copy", code: null, status: null };

/** The answer to an attempt that is still to be stored. */
type Unsettled = { readonly due: DueCopy; readonly answer: RelayAnswer };

/**
 * Whether a refusal of the copy can mean that the relay refuses everything. Anybody with an account can have verification
 * messages sent to mailboxes that do not exist, and must not be able to stop all mail with them.
 */
const isDoubtful = ({ purpose }: DueCopy["copy"]): boolean => purpose.kind !== "verification";

/** The domain that signs: that of the alias or, for a notice, that of its author. Null only for a notice without one. */
const signingDomain = ({ copy, message }: DueCopy): Domain | null => {
  const { purpose } = copy;
  switch (purpose.kind) {
    case "forward":
      return EmailAddress.domain(purpose.alias.email);
    case "postmaster":
      return EmailAddress.domain(purpose.address);
    case "verification":
      return purpose.domain;
    case "notice": {
      const [from = ""] = HeaderFields.values(HeaderFields.split(message.header), "from");
      return parseEmailAddress(parseAddressList(from)[0]?.address).match(EmailAddress.domain, () => null);
    }
  }
};

/**
 * Sends the copies that are due: one pass, with up to 100 of them. The header is written and signed once for all copies of a
 * message for one alias; each copy is then sent in an SMTP transaction of its own, and what became of it is stored at once.
 *
 * - If the relay cannot be used at all, nothing more is sent for five minutes, and nothing counts as an attempt. The same goes for 20
 *   refusals in a row: refusals are only believed at the end of the pass, so that a relay that refuses everything
 *   does not make the queue bounce.
 * - What became of a copy but could not be stored is stored by the next pass, before it takes any others. A crash before that sends the
 *   copy again, with the same `Message-ID`.
 *
 * Passes must not overlap. `unavailable` if the spool does not work: call it again later.
 */
export const forwardCopies = ({
  spool,
  signer,
  relay,
  notice,
  serverName,
  secrets,
  clock,
}: {
  readonly spool: Pick<Spool, "take" | "settle" | "nextDue">;
  readonly signer: MailSigner;
  readonly relay: MailRelay;
  readonly notice: ReturnType<typeof prepareNotice>;
  /** The name of this server. */
  readonly serverName: string;
  readonly secrets: Pick<Secrets, "random" | "hash">;
  readonly clock: Pick<Clock, "now">;
}) => {
  let pausedUntil = 0;
  /** Refusals since the relay last accepted anything, those included that are not believed yet. */
  let refusals = 0;
  /** At most as many as a pass takes. */
  let unsettled: readonly Unsettled[] = [];

  const pause = (): void => {
    pausedUntil = clock.now() + RELAY_PAUSE;
  };

  const settle = async ({ due, answer }: Unsettled): PortResult<void> => {
    const settlement = Copy.after(due, answer, clock.now(), secrets.random);
    const { copy, message } = due;
    const isLost = settlement.state === "failed" || settlement.state === "expired";
    const prepared =
      isLost && copy.purpose.kind === "forward" ? await notice(message, copy.purpose.alias) : ok(null);
    if (prepared.isErr()) {
      if (prepared.error.code === "unavailable") return err(prepared.error);
      // Without a notice the message would be lost silently, so the copy fails when there is space for one.
      return spool.settle(copy.id, Copy.after(due, RELAY_UNUSABLE, clock.now(), secrets.random), null);
    }
    const settled = await spool.settle(copy.id, settlement, prepared.value);
    // Has no effect if it was kept nevertheless.
    if (settled.isErr()) await prepared.value?.body.discard();
    return settled;
  };

  /** Stores the answers, and remembers those that could not be stored. */
  const settleAll = async (answers: readonly Unsettled[]): PortResult<void> => {
    let result: Awaited<PortResult<void>> = ok();
    for (const each of answers) {
      const settled = await settle(each);
      if (settled.isOk()) continue;
      unsettled = [...unsettled, each];
      result = settled;
    }
    return result;
  };

  const isPaused = (): boolean => clock.now() < pausedUntil;

  const sendOne = async ({ copy, body }: DueCopy, header: string, domain: Domain): Promise<RelayAnswer> => {
    const from = copy.purpose.kind === "notice" ? null : bounceAddress(copy.id, domain);
    const answer = await relay.send({ envelope: { from, to: copy.to }, header, body });
    if (answer.kind === "accepted") refusals = 0;
    if (answer.kind === "refused" && isDoubtful(copy)) refusals += 1;
    if (answer.kind === "deferred" && answer.about === "relay") pause();
    return answer;
  };

  /** Sends copies that have the same header. Returns the refusals, which are not stored yet. */
  const sendGroup = async (group: NonEmpty<DueCopy>): Promise<readonly Unsettled[]> => {
    const [first] = group;
    const { copy, message, body } = first;
    const domain = signingDomain(first);
    const header =
      message.origin === "own" || copy.purpose.kind === "notice" || copy.purpose.kind === "verification"
        ? message.header
        : forwardedHeader(message, copy.purpose, { serverName, hash: secrets.hash });
    const authentication = message.origin === "received" ? message.authentication : null;
    const signature =
      domain === null || isPaused() ? null : await signer.sign({ domain, header, body, authentication });
    const refused: Unsettled[] = [];
    for (const due of group) {
      let answer: RelayAnswer;
      if (isPaused()) answer = RELAY_UNUSABLE;
      else if (domain === null || signature === null || signature.isErr()) answer = NOT_SIGNED;
      else answer = await sendOne(due, signature.value + header, domain);
      if (answer.kind === "refused" && isDoubtful(due.copy)) refused.push({ due, answer });
      else await settleAll([{ due, answer }]);
    }
    return refused;
  };

  return async (): PortResult<ForwardingPass> => {
    const late = unsettled;
    unsettled = [];
    const stored = await settleAll(late);
    if (stored.isErr()) return err(stored.error);

    if (isPaused()) return ok({ copies: 0, nextAt: pausedUntil });
    const taken = await spool.take(clock.now(), COPIES_A_PASS);
    if (taken.isErr()) return err(taken.error);
    const groups: (readonly DueCopy[])[] = [
      ...Map.groupBy(taken.value, ({ copy }) => groupOf(copy)).values(),
    ];
    const waiting = groups.filter(isNonEmpty).values();
    const refused: Unsettled[] = [];
    const sendInTurn = async (): Promise<void> => {
      for (const group of waiting) refused.push(...(await sendGroup(group)));
    };
    await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, sendInTurn));

    const believed = refusals < REFUSALS_IN_A_ROW;
    if (!believed) {
      pause();
      refusals = 0;
    }
    await settleAll(believed ? refused : refused.map(({ due }) => ({ due, answer: RELAY_UNUSABLE })));

    if (unsettled.length > 0) return err({ code: "unavailable" });
    const next = await spool.nextDue();
    if (next.isErr()) return err(next.error);
    const { value: dueAt } = next;
    const nextAt = dueAt !== null && isPaused() ? Math.max(dueAt, pausedUntil) : dueAt;
    return ok({ copies: taken.value.length, nextAt });
  };
};
