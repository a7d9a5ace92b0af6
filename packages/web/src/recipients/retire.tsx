import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { type Recipient, reloadRecipients, showRecipient } from "./all-recipients.ts";
import { MoveAliases } from "./move-aliases.tsx";
import { Step } from "./step.tsx";

/** What is to become of a recipient. */
export type Wish = "off" | "delete";

export type Retired = {
  readonly recipient: Recipient;
  readonly wish: Wish;
  /** How many aliases forward to it. */
  readonly attached: number;
};

/** Switches a recipient off, or deletes it, once no alias forwards to it any more. */
export const Retire = ({
  recipient,
  wish,
  attached,
  others,
  onClose,
}: Retired & {
  /** The recipients that can take its aliases. */
  readonly others: readonly Recipient[];
  readonly onClose: () => void;
}) => {
  const { recipient_id, recipient_email } = recipient;
  const [{ left, isMoved }, setAttached] = useState({ left: attached, isMoved: false });
  const retiring = useMutation({
    mutationFn: async () => {
      if (wish === "delete") await api.deleteRecipient(recipient_id);
      else showRecipient((await api.updateRecipient(recipient_id, { active: false })).data);
    },
    onSuccess: () => {
      onClose();
      reloadRecipients();
      announce(words.recipients[wish === "delete" ? "deleted" : "switchedOff"](recipient_email));
    },
    onError: ({ problem }) => {
      if (problem.code === "recipient_attached") setAttached({ left: problem.alias_count, isMoved: false });
      reloadRecipients();
    },
  });
  return (
    <Dialog title={words.recipients.retire[wish](recipient_email)} onClose={onClose}>
      {left > 0 ? (
        <MoveAliases
          recipient={recipient}
          left={left}
          others={others}
          onLeft={(still) => setAttached({ left: still, isMoved: true })}
        />
      ) : (
        <Step>
          {isMoved && `${words.recipients.allMoved} `}
          {words.recipients.means[wish]}
        </Step>
      )}
      <ProblemNotice error={retiring.error?.code === "recipient_attached" ? null : retiring.error} />
      <footer>
        <Button onClick={onClose}>{words.common.cancel}</Button>
        {left === 0 && (
          <Button look="danger" busy={retiring.isPending} onClick={() => retiring.mutate()}>
            {wish === "delete" ? words.common.delete : words.recipients.switchOff}
          </Button>
        )}
      </footer>
    </Dialog>
  );
};
