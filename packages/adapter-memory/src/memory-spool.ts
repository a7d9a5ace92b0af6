import { err, newSpoolId, ok, type PortResult, type Unavailable } from "@postern/core";
import { frozen } from "@postern/core/store";
import type { ForwardingPause, Message, Spool } from "@postern/mail";
import {
  bodyOf,
  type HeldBody,
  type Remembered,
  receivedBodies,
  room,
  type SpoolState,
  spoolState,
} from "@postern/mail/spool-state";

/** Everything of a message that is forgotten first. */
type Content = { readonly header: string; readonly body: HeldBody };

const NO_BODY: Unavailable = {
  code: "unavailable",
  cause: { source: "memory", reason: "the body was discarded or is not from this spool" },
};

const GONE: HeldBody = { size: 0, octets: null, kept: true };

const whole = ({ message, content }: Remembered<Content>): Message =>
  content === null ? message : { ...message, header: content.header };

/**
 * An empty spool in memory, for tests and trials. It fulfills the whole contract, except that nothing survives the process.
 *
 * @param limit the most that it holds, in octets: see `Spool.size`
 */
export const memorySpool = ({ limit }: { readonly limit: number }): Spool => {
  const space = room(limit, (octets) => state.evict(octets));
  const bodies = receivedBodies(space);
  const state: SpoolState<Content> = spoolState<Content>({
    limit,
    room: space,
    contentOf: ({ message: { header }, body }) => ({
      header,
      body: { size: body.length, octets: body.slice(), kept: true },
    }),
    changes: {
      message: () => {},
      copy: () => {},
      content: ({ body }) => {
        body.octets = null;
      },
    },
  });
  let pause: ForwardingPause | null = null;

  /** The method of the spool that does what this one of its state does. */
  const port =
    <Args extends readonly unknown[], Value>(method: (...args: Args) => Value) =>
    async (...args: Args): PortResult<Value> =>
      ok(method(...args));

  return {
    id: newSpoolId((below) => Math.floor(Math.random() * below)),
    receive: bodies.receive,

    keep: async (mailing) => {
      if (state.has(mailing.message.id)) {
        await mailing.body.discard();
        return ok();
      }
      const body = bodies.keep(mailing.body);
      if (body === null) return err(NO_BODY);
      if (state.keep(mailing, { header: mailing.message.header, body }, body.size)) return ok();
      body.kept = false;
      return err({ code: "spool_full" });
    },

    hasRoom: port(state.hasRoom),
    largest: port(state.largest),

    find: async (id) => {
      const found = state.find(id);
      return ok(found && { copy: found.copy, message: whole(found) });
    },

    findAll: port(state.findAll),

    take: async (now, most, except) => {
      const { copies, more } = state.take(now, most, except);
      const taken = copies.map((each) => ({
        copy: each.copy,
        message: whole(each),
        body: bodyOf(each.content?.body ?? GONE),
      }));
      return ok({ copies: taken, more });
    },

    nextDue: port(state.nextDue),
    settle: port(state.settle),
    report: port(state.report),
    delay: port(state.delay),
    uncounted: port(state.uncounted),
    counted: port(state.counted),

    unlogged: async (most) =>
      ok(
        state
          .unlogged(most)
          .map(({ content, ...each }) => ({ ...each, message: whole({ ...each, content }) })),
      ),

    logged: port(state.logged),
    sweep: port(state.sweep),
    list: port(state.list),
    retry: port(state.retry),
    resend: port(state.resend),
    drop: port(state.drop),
    retryAll: port(state.retryAll),
    dropAll: port(state.dropAll),

    setPause: async (after) => {
      pause = frozen(after);
      return ok();
    },

    pause: async () => ok(pause),

    hurry: async (now) => {
      if (pause !== null) pause = frozen({ ...pause, nextAt: Math.min(pause.nextAt, now) });
      return ok(pause);
    },

    size: port(state.size),
  };
};
