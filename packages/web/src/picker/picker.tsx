import type { Schemas } from "@postern/client";
import { useId, useRef, useState } from "preact/hooks";
import {
  ineligibility,
  MOST_RECIPIENTS,
  type Recipient,
  useAllRecipients,
} from "../recipients/all-recipients.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Reading } from "../ui/reading.tsx";
import { wordFor, words } from "../words/words.ts";
import { Order } from "./order.tsx";

/** From this many on, there is a search. */
const MANY = 10;

const Candidates = ({
  recipients,
  hasSearch,
  isFull,
  onAdd,
}: {
  readonly recipients: readonly Recipient[];
  readonly hasSearch: boolean;
  readonly isFull: boolean;
  readonly onAdd: (recipient: Recipient) => void;
}) => {
  const [search, setSearch] = useState("");
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const matches = recipients.filter(({ recipient_email }) =>
    recipient_email.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const canBeChosen = (recipient: Recipient) => ineligibility(recipient) === null;
  const found = matches.toSorted((a, b) => Number(canBeChosen(b)) - Number(canBeChosen(a)));
  return (
    <div class="candidates">
      <h3 id={id} ref={heading} tabIndex={-1}>
        {words.picker.add}
      </h3>
      {isFull && <p class="quiet">{words.picker.full(MOST_RECIPIENTS)}</p>}
      {!isFull && hasSearch && (
        <Field label={words.picker.search} type="search" value={search} onInput={setSearch} />
      )}
      {!isFull && found.length === 0 && (
        <p class="quiet">{recipients.length === 0 ? words.picker.allChosen : words.picker.notFound}</p>
      )}
      {!isFull && found.length > 0 && (
        <ul aria-labelledby={id}>
          {found.map((recipient) => {
            const why = ineligibility(recipient);
            const { recipient_id, recipient_email } = recipient;
            return (
              <li key={recipient_id}>
                {why === null ? (
                  <Button
                    icon="plus"
                    onClick={() => {
                      onAdd(recipient);
                      // The button goes.
                      heading.current?.focus();
                    }}
                  >
                    <bdi>{recipient_email}</bdi>
                  </Button>
                ) : (
                  <p class="quiet">
                    <bdi>{recipient_email}</bdi>: {words.picker.reasons[why]}
                  </p>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
};

/** Chooses the recipients of an alias: an ordered list that is never empty, from those of the account. */
export const Picker = ({
  chosen,
  emails = new Map(),
  refused = [],
  onChange,
}: {
  readonly chosen: readonly string[];
  /** The addresses of those chosen that the account may not have any more. */
  readonly emails?: ReadonlyMap<string, string>;
  /** Those that the API has just refused. */
  readonly refused?: readonly Schemas["IneligibleRecipient"][];
  readonly onChange: (ids: readonly string[]) => void;
}) => {
  const read = useAllRecipients();
  const recipients = read.data;
  if (recipients === undefined) return <Reading of={read} />;
  const known = new Map(recipients.map((each) => [each.recipient_id, each]));
  const entries = chosen.map((id) => {
    const recipient = known.get(id);
    const why =
      refused.find((each) => each.id === id)?.reason ??
      (recipient === undefined ? "unknown" : ineligibility(recipient));
    return {
      id,
      email: recipient?.recipient_email ?? emails.get(id) ?? words.picker.gone,
      problem: why === null ? null : wordFor(words.picker.reasons, why),
    };
  });
  return (
    <div class="picker">
      {entries.length > 0 && <Order entries={entries} onChange={onChange} />}
      {entries.length === 1 && <p class="quiet">{words.picker.last}</p>}
      <Candidates
        recipients={recipients.filter(({ recipient_id }) => !chosen.includes(recipient_id))}
        hasSearch={recipients.length > MANY}
        isFull={chosen.length >= MOST_RECIPIENTS}
        onAdd={({ recipient_id, recipient_email }) => {
          onChange([...chosen, recipient_id]);
          announce(words.picker.added(recipient_email, chosen.length + 1));
        }}
      />
    </div>
  );
};
