import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useLayoutEffect, useRef } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { usePages } from "../api/read.ts";
import { bytes, dateTime, list } from "../format.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { EndlessList } from "../ui/endless-list.tsx";
import { Icon } from "../ui/icons.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Ago } from "../ui/time.tsx";
import { wordFor, words } from "../words/words.ts";
import { BlockEverywhere, BlockHere } from "./block-sender.tsx";

type Message = Schemas["Message"];

const isWaiting = ({ recipients }: Message): boolean => recipients.some(({ state }) => state === "queued");

const lastChange = ({ recipients }: Message): number =>
  Math.max(...recipients.map(({ datetime_changed }) => datetime_changed));

/** How long a message that was sent again is read until that shows, in milliseconds. */
const SOON = 60_000;

/** The messages that were sent again: when, and when their copies had changed last. */
const sentAgain = new Map<string, { readonly at: number; readonly lastChange: number }>();

/** Whether it is going to be sent again, and nothing has come of that yet. */
const isToBeSent = (message: Message): boolean => {
  const sent = sentAgain.get(message.message_id);
  return sent !== undefined && Date.now() - sent.at < SOON && sent.lastChange === lastChange(message);
};

const isChanging = (message: Message): boolean => isWaiting(message) || isToBeSent(message);

const SendAgain = ({
  aliasId,
  message,
  until,
}: {
  readonly aliasId: string;
  readonly message: Message;
  readonly until: number;
}) => {
  const ref = useRef<HTMLDivElement>(null);
  // It goes when the message has been sent again: the row is where to go on.
  useLayoutEffect(() => {
    const place = ref.current;
    return () => {
      if (place?.contains(document.activeElement)) place.closest("li")?.focus();
    };
  }, []);
  const sending = useMutation({
    mutationFn: () => api.resendMessage(aliasId, message.message_id),
    onSuccess: () => {
      sentAgain.set(message.message_id, { at: Date.now(), lastChange: lastChange(message) });
      announce(words.messages.sentAgain);
      void reads.invalidateQueries({ queryKey: ["messages", aliasId] });
    },
  });
  return (
    <div ref={ref} class="actions">
      <Button busy={sending.isPending} onClick={() => sending.mutate()}>
        {words.messages.sendAgain}
      </Button>
      <p class="quiet">
        {isToBeSent(message) ? words.messages.sentAgain : words.messages.sendAgainUntil(dateTime(until))}
      </p>
      <ProblemNotice error={sending.error} />
    </div>
  );
};

/** What became of a copy of the message, and why. */
const Copy = ({
  copy: { email, state, datetime_changed, reason },
}: {
  readonly copy: Schemas["MessageRecipient"];
}) => (
  <li class={state === "bounced" || state === "expired" ? "bad-text" : "quiet"}>
    <bdi>{email}</bdi>: {wordFor(words.copyStates, state)}
    {reason !== null && ` (${wordFor(words.messages.failures, reason.code, reason.message)})`},{" "}
    <Ago time={datetime_changed} />
  </li>
);

const Row = ({
  aliasId,
  isDeleted,
  message,
}: {
  readonly aliasId: string;
  readonly isDeleted: boolean;
  readonly message: Message;
}) => {
  const { direction, contact, subject, size, blocked, count, recipients, resendable_until } = message;
  const isReceived = direction !== "sent";
  const canSendAgain = !isDeleted && resendable_until !== null && resendable_until > Date.now();
  const canBlock = isReceived && contact !== null;
  const blockable = isDeleted ? null : (contact?.contact_id ?? null);
  return (
    <li class="row message" tabIndex={-1}>
      <Icon name={isReceived ? "received" : "sent"} />
      <div class="grow">
        <p>
          <strong>
            {isReceived ? words.messages.from : words.messages.to}{" "}
            <bdi>
              {isReceived
                ? (contact?.email ?? words.messages.unknown)
                : list(recipients.map(({ email }) => email))}
            </bdi>
          </strong>{" "}
          <span class="quiet">
            <Ago time={message.datetime_received} />
            {size !== null && `, ${bytes(size)}`}
          </span>
        </p>
        {subject !== null && subject !== "" && (
          <p class="clamp">
            <bdi>{subject}</bdi>
          </p>
        )}
        {blocked !== null && (
          <p class="bad-text">
            {words.messages.blocked}: {wordFor(words.messages.reasons, blocked.code, blocked.message)}
          </p>
        )}
        {count > 1 && <p class="quiet">{words.messages.times(count)}</p>}
        {message.unsubscribes_from !== null && <p class="quiet">{words.messages.unsubscribed}</p>}
        {recipients.length > 0 && (
          <ul>
            {recipients.map((copy) => (
              <Copy key={copy.email} copy={copy} />
            ))}
          </ul>
        )}
        {(canSendAgain || canBlock) && (
          <details>
            <summary>{words.messages.actions}</summary>
            <div class="actions">
              {canSendAgain && <SendAgain aliasId={aliasId} message={message} until={resendable_until} />}
              {canBlock && blockable !== null && (
                <BlockHere aliasId={aliasId} contactId={blockable} email={contact.email} />
              )}
              {canBlock && <BlockEverywhere aliasId={aliasId} contactId={blockable} email={contact.email} />}
              {canBlock && contact.contact_id === null && <p class="quiet">{words.messages.cannotBlock}</p>}
            </div>
          </details>
        )}
      </div>
    </li>
  );
};

/** What happened to the messages of an alias in the last 30 days. */
export const Messages = ({
  alias: { alias_id: id, datetime_deleted },
}: {
  readonly alias: Schemas["Alias"];
}) => {
  const pages = usePages(
    ["messages", id],
    (page, signal) => api.listMessages(id, { ...page, limit: 50 }, { signal }),
    ({ messages }) => messages.some(isChanging),
  );
  return (
    <>
      <EndlessList
        name={`messages ${id}`}
        label={words.messages.title}
        pages={pages}
        items={({ messages }) => messages}
        row={(message) => (
          <Row
            key={message.message_id}
            aliasId={id}
            isDeleted={datetime_deleted !== null}
            message={message}
          />
        )}
        empty={
          <div class="empty">
            <h2>{words.messages.none}</h2>
            <p>{words.messages.noneText}</p>
          </div>
        }
      />
      <p class="quiet">{words.messages.kept}</p>
    </>
  );
};
