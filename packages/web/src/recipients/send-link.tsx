import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { api } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useSecondsLeft } from "../ui/seconds-left.ts";
import { wordFor, words } from "../words/words.ts";
import { showRecipient } from "./all-recipients.ts";

/** A mailbox gets one message in as many milliseconds. */
const PAUSE = 60_000;

/** Sends the link to a recipient once more, as soon as that is possible. */
export const SendLink = ({ recipient }: { readonly recipient: Schemas["Recipient"] }) => {
  const { recipient_id, recipient_email, datetime_verification_sent, datetime_updated } = recipient;
  // Until it is known to have been sent, it may be on its way.
  const sent = datetime_verification_sent ?? datetime_updated;
  const sending = useMutation({
    mutationFn: () => api.resendVerification(recipient_id),
    onSuccess: ({ data: { verification_mail, ...sent } }) => {
      showRecipient(sent);
      announce(wordFor(words.recipients.mails, verification_mail));
    },
  });
  // Clocks differ: nobody waits longer because this one is slow.
  const until = useMemo(() => Math.min(Date.now(), sent) + PAUSE, [sent]);
  const left = useSecondsLeft(until);
  const mail = sending.data?.data.verification_mail;
  return (
    <>
      <div class="facts">
        <Button about={recipient_email} busy={sending.isPending || left > 0} onClick={() => sending.mutate()}>
          {words.recipients.sendAgain}
        </Button>
        {left > 0 && <span class="quiet">{words.recipients.sendAgainIn(left)}</span>}
      </div>
      {mail !== undefined && (
        <Notice look={mail === "not_sent" ? "bad" : "good"}>{wordFor(words.recipients.mails, mail)}</Notice>
      )}
      <ProblemNotice error={sending.error} said={{ rate_limited: words.recipients.tooManyLinks }} />
    </>
  );
};
