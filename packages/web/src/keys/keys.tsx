import type { Schemas } from "@postern/client";
import { useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { useService } from "../api/service.ts";
import { useAllRecipients } from "../recipients/all-recipients.ts";
import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Notice } from "../ui/notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { DeleteKey } from "./delete-key.tsx";
import { KeyCreated } from "./key-created.tsx";
import { KeyRow } from "./key-row.tsx";
import { NewKey } from "./new-key.tsx";

const Empty = ({ onCreate }: { readonly onCreate: () => void }) => (
  <div class="empty">
    <h2>{words.keys.none}</h2>
    <p>{words.keys.noneText}</p>
    <Button look="main" icon="plus" onClick={onCreate}>
      {words.keys.new}
    </Button>
  </div>
);

/** The keys of the account, and how to get another one. */
export const Keys = () => {
  const service = useService();
  const read = useRead(["keys"], (signal) => api.listApiKeys({ signal }));
  const { data: recipients } = useAllRecipients();
  const [leaving, setLeaving] = useState<Schemas["ApiKey"] | null>(null);
  const [isNew, setNew] = useState(false);
  /** Here and nowhere else, until the dialog is closed. */
  const [created, setCreated] = useState<Schemas["ApiKeyCreated"] | null>(null);
  const keys = read.data?.data.keys;
  const address = service?.keys_url ?? null;
  const domains = service?.alias_domains ?? [];
  const hasKeys = keys !== undefined && keys.length > 0;
  return (
    <View
      title={words.keys.title}
      action={
        address !== null &&
        hasKeys && (
          <Button look="main" icon="plus" onClick={() => setNew(true)}>
            {words.keys.new}
          </Button>
        )
      }
    >
      {service?.keys_url === null && <Notice look="info">{words.keys.unavailable}</Notice>}
      <Reading of={read} />
      {address !== null && keys?.length === 0 && <Empty onCreate={() => setNew(true)} />}
      {hasKeys && (
        <>
          <p class="quiet">{words.keys.about}</p>
          <ul class="rows" aria-label={words.keys.title}>
            {keys.map((key) => (
              <KeyRow
                key={key.key_id}
                apiKey={key}
                recipients={recipients}
                onDelete={() => setLeaving(key)}
              />
            ))}
          </ul>
        </>
      )}
      {address !== null && hasKeys && (
        <p class="quiet line">
          {words.keys.usedAt} <code dir="ltr">{address}</code> <Copy text={address} />
        </p>
      )}
      {leaving !== null && <DeleteKey apiKey={leaving} onClose={() => setLeaving(null)} />}
      {isNew && (
        <NewKey
          domains={domains}
          onCreated={(key) => {
            setNew(false);
            setCreated(key);
          }}
          onClose={() => setNew(false)}
        />
      )}
      {created !== null && address !== null && (
        <KeyCreated
          created={created}
          address={address}
          domain={domains[0] ?? ""}
          onClose={() => setCreated(null)}
        />
      )}
    </View>
  );
};
