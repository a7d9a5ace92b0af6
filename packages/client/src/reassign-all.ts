import type { Failure, Operations, Problem } from "./operations.ts";

/** In which aliases the recipient was replaced, and in how many it still is: none, unless there are some in which it cannot be. */
export type Reassigned = { readonly reassigned: readonly string[]; readonly remaining: number };

/**
 * Replaces a recipient in all its aliases, with as many calls of `reassignRecipient` as that needs. Safe to repeat after a failure: what is
 * done is done.
 */
export type ReassignAll = (
  recipientId: string,
  replacementId: string,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<{ readonly ok: true; readonly data: Reassigned } | Failure<Problem<"reassignRecipient">>>;

export const reassignAll =
  ({ reassignRecipient }: Pick<Operations, "reassignRecipient">): ReassignAll =>
  async (recipientId, replacementId, options) => {
    const all: string[] = [];
    let cursor: string | null = null;
    /** In how many aliases since the newest one was begun with. */
    let since = 0;
    for (;;) {
      const body = { recipient_id: replacementId, ...(cursor !== null && { cursor }) };
      const result = await reassignRecipient(recipientId, body, options);
      if (!result.ok) return result;
      const { reassigned, remaining, next_cursor } = result.data;
      all.push(...reassigned);
      since += reassigned.length;
      const isDone = remaining === 0 || (next_cursor === null && since === 0);
      if (isDone) return { ok: true, data: { reassigned: all, remaining } };
      // It was attached to aliases meanwhile: from the newest again.
      if (next_cursor === null) since = 0;
      cursor = next_cursor;
    }
  };
