import { useMutation } from "@tanstack/preact-query";
import { api } from "../api/api.ts";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Row } from "../ui/row.tsx";
import { Switch } from "../ui/switch.tsx";
import { words } from "../words/words.ts";
import { ineligibility, type Recipient, reloadRecipients, showRecipient } from "./all-recipients.ts";
import type { Wish } from "./retire.tsx";
import { SendLink } from "./send-link.tsx";

const stateOf = ({ verified, active }: Recipient): keyof typeof words.recipients.states => {
  if (!verified) return "unconfirmed";
  return active ? "confirmed" : "off";
};

const LOOKS = { confirmed: "good", unconfirmed: "info", off: "" } as const;

export const RecipientRow = ({
  recipient,
  isDefault,
  onRetire,
}: {
  readonly recipient: Recipient;
  /** Null if it makes no difference, or is not known. */
  readonly isDefault: boolean | null;
  /** It is to be switched off or deleted, which needs more than a click: so many aliases forward to it. */
  readonly onRetire: (wish: Wish, attached: number) => void;
}) => {
  const { recipient_id, recipient_email, verified, active, alias_count, verification_note } = recipient;
  const state = stateOf(recipient);
  const changing = useMutation({
    mutationFn: (change: { readonly active: boolean } | { readonly default: true }) =>
      api.updateRecipient(recipient_id, change),
    onMutate: (change) => {
      if ("active" in change) showRecipient({ ...recipient, ...change });
    },
    onSuccess: ({ data }, change) => {
      showRecipient(data);
      const say = "active" in change ? (data.active ? "switchedOn" : "switchedOff") : "madeDefault";
      announce(words.recipients[say](recipient_email));
    },
    onError: ({ problem }) => {
      showRecipient(recipient);
      reloadRecipients();
      if (problem.code === "recipient_attached") onRetire("off", problem.alias_count);
    },
  });
  return (
    <Row isOff={!active}>
      <div class="grow parts">
        <div class="head">
          <strong>
            <Address of={recipient_email} />
          </strong>
          {(verified || !active) && (
            <Switch
              label={words.recipients.receives(recipient_email)}
              on={active}
              onChange={(on) => {
                if (!on && alias_count > 0) onRetire("off", alias_count);
                else if (!changing.isPending) changing.mutate({ active: on });
              }}
            />
          )}
          <IconButton
            icon="trash"
            label={words.recipients.deleteOf(recipient_email)}
            onClick={() => onRetire("delete", alias_count)}
          />
        </div>
        <p class="facts quiet">
          <span class={`badge ${LOOKS[state]}`}>{words.recipients.states[state]}</span>
          {isDefault === true && <span class="badge">{words.recipients.default}</span>}
          {alias_count > 0 ? (
            <a href={`/?recipient=${encodeURIComponent(recipient_id)}`}>
              {words.recipients.aliases(alias_count)}
            </a>
          ) : (
            words.recipients.aliases(0)
          )}
        </p>
        {!verified && (
          <>
            <p>{verification_note === null ? words.recipients.openLink : words.recipients.notArrived}</p>
            <SendLink recipient={recipient} />
          </>
        )}
        {isDefault === false && ineligibility(recipient) === null && (
          <Button
            about={recipient_email}
            busy={changing.isPending}
            onClick={() => changing.mutate({ default: true })}
          >
            {words.recipients.makeDefault}
          </Button>
        )}
        <ProblemNotice error={changing.error?.code === "recipient_attached" ? null : changing.error} />
      </div>
    </Row>
  );
};
