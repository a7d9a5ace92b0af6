import { useEffect, useRef, useState } from "preact/hooks";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Notice } from "../ui/notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { View } from "../ui/view.tsx";
import { wordFor, words } from "../words/words.ts";
import { AddRecipient } from "./add-recipient.tsx";
import { defaultRecipient, ineligibility, type Recipient, useAllRecipients } from "./all-recipients.ts";
import { RecipientRow } from "./recipient-row.tsx";
import { Retire, type Retired, type Wish } from "./retire.tsx";

/** What has last happened to a recipient. */
type News = { readonly email: string; readonly text: string; readonly look: "good" | "bad" };

/** Calls with a recipient whose owner has just confirmed it. */
const useConfirmed = (
  recipients: readonly Recipient[] | undefined,
  onConfirmed: (recipient: Recipient) => void,
): void => {
  const before = useRef<readonly Recipient[] | undefined>(undefined);
  useEffect(() => {
    const unconfirmed = new Set(
      before.current?.filter(({ verified }) => !verified).map((each) => each.recipient_id),
    );
    const confirmed = recipients?.find(
      ({ recipient_id, verified }) => verified && unconfirmed.has(recipient_id),
    );
    before.current = recipients;
    if (confirmed !== undefined) onConfirmed(confirmed);
  }, [recipients]);
};

const List = ({
  recipients,
  onRetire,
}: {
  readonly recipients: readonly Recipient[];
  readonly onRetire: (recipient: Recipient, wish: Wish, attached: number) => void;
}) => {
  const isChoice = recipients.filter((each) => ineligibility(each) === null).length > 1;
  const standard = isChoice ? defaultRecipient(recipients) : undefined;
  return (
    <div class="rows">
      <ul aria-label={words.recipients.title}>
        {recipients.map((recipient) => (
          <RecipientRow
            key={recipient.recipient_id}
            recipient={recipient}
            isDefault={standard === undefined ? null : standard.recipient_id === recipient.recipient_id}
            onRetire={(wish, attached) => onRetire(recipient, wish, attached)}
          />
        ))}
      </ul>
    </div>
  );
};

export const Recipients = () => {
  const [news, setNews] = useState<News | null>(null);
  const tell = (told: News) => {
    setNews(told);
    announce(`${told.email}: ${told.text}`);
  };
  const [retired, setRetired] = useState<Retired | null>(null);
  const read = useAllRecipients();
  const recipients = read.data;
  useConfirmed(recipients, ({ recipient_email: email }) =>
    tell({ email, text: words.recipients.confirmed, look: "good" }),
  );
  return (
    <View title={words.recipients.title}>
      <AddRecipient
        onEdit={() => setNews(null)}
        onAdded={({ recipient_email: email, verification_mail: mail }) =>
          tell({
            email,
            text: wordFor(words.recipients.mails, mail),
            look: mail === "not_sent" ? "bad" : "good",
          })
        }
      />
      {news !== null && (
        <Notice look={news.look}>
          <strong>
            <Address of={news.email} />
          </strong>
          <p>{news.text}</p>
        </Notice>
      )}
      <Reading of={read} />
      {recipients?.length === 0 && (
        <div class="empty">
          <h2>{words.recipients.none}</h2>
          <p>{words.recipients.noneText}</p>
        </div>
      )}
      {recipients !== undefined && recipients.length > 0 && (
        <List
          recipients={recipients}
          onRetire={(recipient, wish, attached) => setRetired({ recipient, wish, attached })}
        />
      )}
      {retired !== null && (
        <Retire
          {...retired}
          others={(recipients ?? []).filter(
            (each) => ineligibility(each) === null && each.recipient_id !== retired.recipient.recipient_id,
          )}
          onClose={() => setRetired(null)}
        />
      )}
    </View>
  );
};
