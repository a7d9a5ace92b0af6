import type { ClientError, Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import type { Recipient } from "./all-recipients.ts";
import { Step } from "./step.tsx";

/** How many of the aliases are shown. */
const SHOWN = 5;

/** Moves aliases until none is left that can be. What is done is done, whenever it is stopped, and another call goes on from there. */
const moveAll = async (
  from: string,
  to: string,
  signal: AbortSignal,
  onStep: (remaining: number) => void,
): Promise<number> => {
  let cursor: string | null = null;
  /** Since the newest alias was begun with. */
  let isAnyMoved = false;
  for (;;) {
    const body = { recipient_id: to, ...(cursor !== null && { cursor }) };
    const { data }: { data: Schemas["Reassignment"] } = await api.reassignRecipient(from, body, { signal });
    onStep(data.remaining);
    isAnyMoved ||= data.reassigned.length > 0;
    if (data.remaining === 0 || (data.next_cursor === null && !isAnyMoved)) return data.remaining;
    // It was attached to aliases meanwhile: from the newest again.
    if (data.next_cursor === null) isAnyMoved = false;
    cursor = data.next_cursor;
  }
};

const isStopped = (error: ClientError | null): boolean =>
  error?.problem.code === "unreachable" && error.problem.reason === "aborted";

/** Some of the aliases of a recipient, and where to find all of them. */
const Attached = ({ recipient: { recipient_id }, count }: { recipient: Recipient; count: number }) => {
  const { data } = useRead(["attached", recipient_id], (signal) =>
    api.listAliases({ recipient_id, limit: SHOWN }, { signal }),
  );
  return (
    <ul class="bullets">
      {data?.data.aliases.map(({ alias_id, alias_email }) => (
        <li key={alias_id}>
          <Address of={alias_email} />
        </li>
      ))}
      <li>
        <a href={`/?recipient=${encodeURIComponent(recipient_id)}`}>{words.recipients.showAliases(count)}</a>
      </li>
    </ul>
  );
};

/** Moves the aliases of a recipient to another one; shows how far it is, and can be stopped. */
export const MoveAliases = ({
  recipient,
  left,
  others,
  onLeft,
}: {
  readonly recipient: Recipient;
  /** How many aliases are still to be moved. */
  readonly left: number;
  /** The recipients that can take them. */
  readonly others: readonly Recipient[];
  readonly onLeft: (left: number) => void;
}) => {
  const [total, setTotal] = useState(left);
  const [to, setTo] = useState(others.length === 1 ? (others[0]?.recipient_id ?? "") : "");
  const [isUnchosen, setUnchosen] = useState(false);
  // Somebody may have deleted it, or switched it off, meanwhile.
  const target = others.find(({ recipient_id }) => recipient_id === to);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const moving = useMutation({
    mutationFn: ({ recipient_id }: Recipient) => {
      const controller = new AbortController();
      stop.current = controller;
      return moveAll(recipient.recipient_id, recipient_id, controller.signal, (remaining) => {
        setTotal((before) => Math.max(before, remaining));
        onLeft(remaining);
      });
    },
    onSettled: () => {
      for (const name of ["recipients", "attached", "aliases", "alias"])
        void reads.invalidateQueries({ queryKey: [name] });
    },
    onError: (error) => {
      if (isStopped(error)) announce(words.recipients.stopped);
    },
  });
  const isBegun = moving.isPending || left < total;
  return (
    <>
      <Step>{words.recipients.attached(left)}</Step>
      {!isBegun && <Attached recipient={recipient} count={left} />}
      {others.length === 0 && <p>{words.recipients.noOther}</p>}
      {others.length > 0 && (
        <Form
          onSubmit={() => {
            setUnchosen(target === undefined);
            if (moving.isPending) stop.current?.abort();
            else if (target !== undefined) moving.mutate(target);
          }}
        >
          {moving.isPending ? (
            <p>{words.recipients.movingTo(moving.variables.recipient_email)}</p>
          ) : (
            <Select
              label={words.recipients.moveTo}
              error={isUnchosen && target === undefined ? words.recipients.choose : null}
              value={target?.recipient_id ?? ""}
              onInput={setTo}
              options={[
                ["", words.recipients.choose],
                ...others.map(
                  ({ recipient_id, recipient_email }) => [recipient_id, recipient_email] as const,
                ),
              ]}
            />
          )}
          {isBegun && (
            <div class="field">
              <progress max={total} value={total - left} aria-label={words.recipients.progress} />
              <p class="quiet">{words.recipients.moved(total - left, total)}</p>
            </div>
          )}
          {moving.isSuccess && left > 0 && <p>{words.recipients.someLeft}</p>}
          <ProblemNotice error={isStopped(moving.error) ? null : moving.error} />
          <Button look={moving.isPending ? "plain" : "main"}>
            {words.recipients[moving.isPending ? "stop" : isBegun ? "goOn" : "move"]}
          </Button>
        </Form>
      )}
    </>
  );
};
