import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Choice } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { words } from "../words/words.ts";
import { blockContact } from "./block-contact.ts";

/** Blocks who wrote a message: at this alias, openly or in secret. */
export const BlockHere = ({
  aliasId,
  contactId,
  email,
}: {
  readonly aliasId: string;
  readonly contactId: string;
  readonly email: string;
}) => {
  const [isAsking, setAsking] = useState(false);
  const [how, setHow] = useState<"reject" | "discard">("reject");
  const blocking = useMutation({
    mutationFn: () => blockContact(aliasId, contactId, how),
    onSuccess: () => {
      setAsking(false);
      announce(words.messages.blockedNow(email));
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>{words.messages.blockHere}</Button>
      {blocking.isSuccess && <Notice look="good">{words.messages.blockedNow(email)}</Notice>}
      {isAsking && (
        <Confirm
          title={words.messages.blockHere}
          action={words.messages.block}
          busy={blocking.isPending}
          error={blocking.error}
          onConfirm={() => blocking.mutate()}
          onClose={() => setAsking(false)}
        >
          <Choice
            label={words.messages.blockHereText(email)}
            value={how}
            onInput={setHow}
            options={[
              ["reject", words.messages.refuse],
              ["discard", words.messages.discard],
            ]}
          />
        </Confirm>
      )}
    </>
  );
};

/** Blocks who wrote a message at all aliases of the account; or, since that can be noticed, in secret at this one. */
export const BlockEverywhere = ({
  aliasId,
  contactId,
  email,
}: {
  readonly aliasId: string;
  /** Null if they cannot be blocked at this alias alone. */
  readonly contactId: string | null;
  readonly email: string;
}) => {
  const [isAsking, setAsking] = useState(false);
  const blocking = useMutation({
    mutationFn: async (discardedBy: string | null) => {
      if (discardedBy !== null) await blockContact(aliasId, discardedBy, "discard");
      else await api.blockSender(email);
    },
    onSuccess: () => {
      setAsking(false);
      void reads.invalidateQueries({ queryKey: ["blocked-senders"] });
      announce(words.messages.blockedNow(email));
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>{words.messages.blockEverywhere}</Button>
      {blocking.isSuccess && <Notice look="good">{words.messages.blockedNow(email)}</Notice>}
      {isAsking && (
        <Confirm
          title={words.messages.blockEverywhere}
          action={words.messages.block}
          busy={blocking.isPending}
          error={blocking.error}
          onConfirm={() => blocking.mutate(null)}
          onClose={() => setAsking(false)}
        >
          <p>{words.messages.blockEverywhereText(email)}</p>
          {contactId !== null && (
            <>
              <p>{words.messages.discardInstead}</p>
              <div class="actions">
                <Button busy={blocking.isPending} onClick={() => blocking.mutate(contactId)}>
                  {words.messages.discardHere}
                </Button>
              </div>
            </>
          )}
        </Confirm>
      )}
    </>
  );
};
