import type { ClientError, Schemas } from "@postern/client";
import { Checks, Field } from "../ui/field.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";

type EventType = Schemas["EventType"];

/** What a webhook is, as somebody types it. */
export type Typed = { readonly url: string; readonly events: readonly EventType[] };

/** A newer API may have events that this app does not know. */
export const isKnownEvent = (event: string): event is EventType =>
  Object.hasOwn(words.webhooks.events, event);

/** The URL and the events of a webhook, and what is wrong with them. */
export const WebhookFields = ({
  value: { url, events },
  error,
  isIncomplete,
  onInput,
}: {
  readonly value: Typed;
  readonly error: ClientError | null;
  /** No event has been chosen, and somebody has tried to save. */
  readonly isIncomplete: boolean;
  readonly onInput: (changed: Partial<Typed>) => void;
}) => {
  const isInvalid = error?.code === "invalid_request";
  return (
    <>
      <Field
        label={words.webhooks.url}
        hint={words.webhooks.urlHint}
        error={isInvalid ? words.webhooks.urlInvalid : null}
        inputMode="url"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="https://"
        value={url}
        onInput={(text) => onInput({ url: text })}
      />
      <div class="columns">
        <Checks
          label={words.webhooks.about}
          values={events}
          onInput={(chosen) => onInput({ events: chosen })}
          options={Object.entries(words.webhooks.events).flatMap(([event, text]) =>
            isKnownEvent(event) ? [[event, text, event] as const] : [],
          )}
        />
      </div>
      {isIncomplete && (
        <p class="bad-text" role="alert">
          {words.webhooks.chooseEvent}
        </p>
      )}
      <ProblemNotice error={isInvalid ? null : error} />
    </>
  );
};
