import type { Schemas, Success } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";
import { announce } from "../ui/announcer.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Row } from "../ui/row.tsx";
import { Switch } from "../ui/switch.tsx";
import { wordFor, words } from "../words/words.ts";

type Webhook = Schemas["Webhook"];

/** Shows the webhook as it is now. */
const show = (webhook: Webhook): void => {
  reads.setQueryData<Success<Schemas["WebhookList"]>>(["webhooks"], (list) => {
    const webhooks = list?.data.webhooks.map((each) =>
      each.webhook_id === webhook.webhook_id ? webhook : each,
    );
    return webhooks && list && { ...list, data: { webhooks } };
  });
};

const TestResult = ({ delivered, reason }: Schemas["WebhookTested"]) =>
  delivered ? (
    <Notice look="good">{words.webhooks.delivered}</Notice>
  ) : (
    <Notice look="bad">
      {words.webhooks.notDelivered} {reason !== null && <bdi lang="en">{reason}</bdi>}
    </Notice>
  );

export const WebhookRow = ({
  webhook,
  onChange,
  onDelete,
}: {
  readonly webhook: Webhook;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}) => {
  const { webhook_id, url, events, active, off_reason } = webhook;
  const switching = useMutation({
    // The list has no `etag`.
    mutationFn: async (on: boolean) => {
      const { data, etag } = await api.getWebhook(webhook_id);
      if (data.active === on) return data;
      return (await api.updateWebhook(webhook_id, { active: on }, { ifMatch: etag })).data;
    },
    onMutate: (on) => show({ ...webhook, active: on, off_reason: on ? null : "owner" }),
    onSuccess: (changed) => {
      show(changed);
      announce(words.webhooks[changed.active ? "switchedOn" : "switchedOff"](url));
    },
    onError: () => {
      show(webhook);
      void reads.invalidateQueries({ queryKey: ["webhooks"] });
    },
  });
  const testing = useMutation({
    mutationFn: () => api.testWebhook(webhook_id),
    onSuccess: ({ data: { delivered } }) => {
      if (delivered) announce(words.webhooks.delivered);
    },
  });
  return (
    <Row isOff={!active}>
      <div class="grow parts">
        <div class="head">
          <strong class="clamp">
            <bdi>{url}</bdi>
          </strong>
          <Switch
            label={words.webhooks.receives(url)}
            on={active}
            onChange={(on) => {
              if (!switching.isPending) switching.mutate(on);
            }}
          />
          <IconButton icon="trash" label={words.webhooks.deleteOf(url)} onClick={onDelete} />
        </div>
        <p class="quiet">
          {words.webhooks.told(events.map((event) => wordFor(words.webhooks.events, event)))}
        </p>
        {off_reason !== null && (
          <p class={off_reason === "owner" ? "quiet" : "bad-text"}>
            {wordFor(words.webhooks.offReasons, off_reason)}
          </p>
        )}
        <div class="actions">
          <Button about={url} busy={testing.isPending} onClick={() => testing.mutate()}>
            {words.webhooks.test}
          </Button>
          <Button about={url} onClick={onChange}>
            {words.webhooks.change}
          </Button>
        </div>
        {testing.isPending && <p class="quiet">{words.webhooks.waiting}</p>}
        {testing.isSuccess && <TestResult {...testing.data.data} />}
        <ProblemNotice error={testing.error} />
        <ProblemNotice error={switching.error} />
      </div>
    </Row>
  );
};
