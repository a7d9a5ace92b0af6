import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { changePages } from "../api/change-pages.ts";
import { usePages } from "../api/read.ts";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { EndlessList } from "../ui/endless-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Row } from "../ui/row.tsx";
import { OnDay } from "../ui/time.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { BlockSender } from "./block-sender.tsx";

type Page = Schemas["BlockedSenderPage"];

const KEY = ["blocked-senders"];

const Sender = ({
  blocked: { blocked_sender_id, sender, datetime_created },
  onUnblocked,
}: {
  readonly blocked: Schemas["BlockedSender"];
  readonly onUnblocked: () => void;
}) => {
  const isDomain = !sender.includes("@");
  const unblocking = useMutation({
    mutationFn: () => api.unblockSender(blocked_sender_id),
    onSuccess: () => {
      changePages<Page>(KEY, (page) => ({
        ...page,
        blocked_senders: page.blocked_senders.filter((each) => each.blocked_sender_id !== blocked_sender_id),
      }));
      onUnblocked();
    },
  });
  return (
    <Row>
      <div class="grow">
        <strong>{isDomain ? <bdi>{sender}</bdi> : <Address of={sender} />}</strong>
        <p class="quiet">
          {isDomain && <>{words.blockedSenders.withSubdomains} · </>}
          {words.blockedSenders.since} <OnDay time={datetime_created} />
        </p>
        <ProblemNotice error={unblocking.error} />
      </div>
      <Button about={sender} busy={unblocking.isPending} onClick={() => unblocking.mutate()}>
        {words.blockedSenders.unblock}
      </Button>
    </Row>
  );
};

export const BlockedSenders = () => {
  const [done, setDone] = useState<string | null>(null);
  const pages = usePages(KEY, (page, signal) => api.listBlockedSenders({ ...page, limit: 100 }, { signal }));
  const say = (text: string) => {
    setDone(text);
    announce(text);
  };
  return (
    <View title={words.blockedSenders.title}>
      <BlockSender
        onEdit={() => setDone(null)}
        onBlocked={(sender) => say(words.blockedSenders.blocked(sender))}
      />
      {done !== null && <Notice look="good">{done}</Notice>}
      <Notice look="info">
        <p>{words.blockedSenders.linkable}</p>
        <p>
          {words.blockedSenders.discard} <a href="/">{words.blockedSenders.toAliases}</a>
        </p>
      </Notice>
      <EndlessList
        name="blocked senders"
        label={words.blockedSenders.title}
        pages={pages}
        items={(page) => page.blocked_senders}
        empty={
          <div class="empty">
            <h2>{words.blockedSenders.none}</h2>
            <p>{words.blockedSenders.noneText}</p>
          </div>
        }
        row={(blocked) => (
          <Sender
            key={blocked.blocked_sender_id}
            blocked={blocked}
            onUnblocked={() => say(words.blockedSenders.unblocked(blocked.sender))}
          />
        )}
      />
    </View>
  );
};
