import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Choice } from "../ui/field.tsx";
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

/** Blocks who wrote a message at all aliases of the account. */
export const BlockEverywhere = ({ email }: { readonly email: string }) => {
  const [isAsking, setAsking] = useState(false);
  const blocking = useMutation({
    mutationFn: () => api.blockSender(email),
    onSuccess: () => {
      setAsking(false);
      void reads.invalidateQueries({ queryKey: ["blocked-senders"] });
      announce(words.messages.blockedNow(email));
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>{words.messages.blockEverywhere}</Button>
      {isAsking && (
        <Confirm
          title={words.messages.blockEverywhere}
          action={words.messages.block}
          busy={blocking.isPending}
          error={blocking.error}
          onConfirm={() => blocking.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{words.messages.blockEverywhereText(email)}</p>
        </Confirm>
      )}
    </>
  );
};
