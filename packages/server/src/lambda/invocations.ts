/** Connections that have been idle for longer are not used again. DynamoDB itself and what is in between close them after minutes. */
const MAX_IDLE_MS = 5_000;

type Handler<Event, Context, Answer> = (event: Event, context: Context) => Promise<Answer>;

/**
 * Handlers whose process is frozen between invocations, for milliseconds or hours. Nobody notices meanwhile that a connection is closed or
 * forgotten, and a request over one that is forgotten would wait for an answer until it is too late. So after a pause, all are dropped first.
 *
 * @param flush called at the end of each invocation
 */
export const invocations = ({
  dropConnections,
  flush,
}: {
  readonly dropConnections: () => void;
  readonly flush: () => void;
}) => {
  let idleSince = Date.now();
  return <Event, Context, Answer>(handle: Handler<Event, Context, Answer>): Handler<Event, Context, Answer> =>
    async (event, context) => {
      if (Date.now() - idleSince > MAX_IDLE_MS) dropConnections();
      try {
        return await handle(event, context);
      } finally {
        flush();
        idleSince = Date.now();
      }
    };
};
