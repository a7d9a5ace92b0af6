import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { LONGEST_DESCRIPTION } from "../alias/longest-description.ts";
import { forgetLists } from "../alias/stored-alias.ts";
import { api, reads } from "../api/api.ts";
import { useServiceRead } from "../api/service.ts";
import { draft } from "../drafts.ts";
import { Picker } from "../picker/picker.tsx";
import { defaultRecipient, ineligibility, useAllRecipients } from "../recipients/all-recipients.ts";
import { navigate } from "../router.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Choice, Field, Select } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

const FORMATS = ["random", "words", "uuid", "own"] as const;

type Wanted = {
  readonly format: (typeof FORMATS)[number];
  readonly local: string;
  readonly domain: string;
  readonly description: string;
  readonly website: string;
  readonly recipients: readonly string[];
  /** Of the idempotency: until an alias is known to have been created, all that is sent creates one at most. */
  readonly key: string;
};

const bodyOf = ({ format, local, domain, description, website, recipients }: Wanted) => {
  const [first, ...others] = recipients;
  if (first === undefined) return null;
  const common = {
    recipient_ids: [first, ...others] satisfies Schemas["CreateAlias"]["recipient_ids"],
    ...(description.trim() !== "" && { description: description.trim() }),
    ...(website.trim() !== "" && { website: website.trim() }),
  };
  return format === "own"
    ? { ...common, alias_email: `${local.trim()}@${domain}` }
    : { ...common, alias_format: format, alias_domain: domain };
};

/** Makes an alias. */
export const NewAlias = () => {
  const serviceRead = useServiceRead();
  const recipientsRead = useAllRecipients();
  const [service, recipients] = [serviceRead.data?.data, recipientsRead.data];
  const typed = draft<Wanted>("new alias");
  const creating = useMutation({
    mutationFn: async ({
      body,
      key,
    }: {
      readonly body: NonNullable<ReturnType<typeof bodyOf>>;
      readonly key: string;
    }) => api.createAlias(body, { idempotencyKey: key }),
    onSuccess: (created) => {
      typed.value = null;
      forgetLists();
      reads.setQueryData(["alias", created.data.alias_id], created);
      navigate(`/aliases/${encodeURIComponent(created.data.alias_id)}`);
      announce(words.newAlias.created(created.data.alias_email));
    },
    onError: ({ problem }) => {
      if (problem.code !== "idempotency_key_reused" || typed.value === null) return;
      // The answer was lost, and then something was changed here: an alias was created, and this is another one.
      forgetLists();
      typed.value = { ...typed.value, key: crypto.randomUUID() };
    },
  });
  const title = words.newAlias.title;
  const back = { to: "/", name: words.shell.sections.aliases };
  if (service === undefined || recipients === undefined) {
    const missing = service === undefined ? serviceRead : recipientsRead;
    return (
      <View title={title} back={back}>
        <Reading of={[serviceRead, recipientsRead].find(({ error }) => error !== null) ?? missing} />
      </View>
    );
  }
  if (recipients.every((each) => ineligibility(each) !== null)) {
    return (
      <View title={title} back={back}>
        <div class="empty">
          <p>{words.picker.needRecipient}</p>
          <a class="button main" href="/recipients">
            {words.picker.toRecipients}
          </a>
        </div>
      </View>
    );
  }
  const preferred = defaultRecipient(recipients);
  const wanted: Wanted = typed.value ?? {
    format: "random",
    local: "",
    domain: service.alias_domains[0] ?? "",
    description: "",
    website: "",
    recipients: preferred === undefined ? [] : [preferred.recipient_id],
    key: crypto.randomUUID(),
  };
  const change = (part: Partial<Wanted>) => {
    typed.value = { ...wanted, ...part };
  };
  const problem = creating.error?.problem;
  const [formats, { domain }] = [words.newAlias.formats, wanted];
  return (
    <View title={title} back={back}>
      <Form
        label={title}
        onSubmit={() => {
          typed.value = wanted;
          const body = bodyOf(wanted);
          if (body !== null && !creating.isPending) creating.mutate({ body, key: wanted.key });
        }}
      >
        <Choice
          label={words.newAlias.address}
          value={wanted.format}
          onInput={(format) => change({ format })}
          options={FORMATS.map((each) => [each, formats[each][0], formats[each][1]] as const)}
        />
        {wanted.format === "own" && (
          <Field
            label={words.newAlias.local}
            hint={words.newAlias.localHint}
            required
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            maxLength={64}
            value={wanted.local}
            onInput={(local) => change({ local })}
          />
        )}
        {service.alias_domains.length > 1 ? (
          <Select
            label={words.newAlias.domain}
            value={domain}
            onInput={(chosen) => change({ domain: chosen })}
            options={service.alias_domains.map((each) => [each, each] as const)}
          />
        ) : (
          wanted.format === "own" && <p class="quiet">@{domain}</p>
        )}
        <Field
          label={`${words.newAlias.description} (${words.common.optional})`}
          hint={words.newAlias.descriptionHint}
          maxLength={LONGEST_DESCRIPTION}
          value={wanted.description}
          onInput={(description) => change({ description })}
        />
        <Field
          label={`${words.newAlias.website} (${words.common.optional})`}
          inputMode="url"
          autocapitalize="off"
          maxLength={2_000}
          value={wanted.website}
          onInput={(website) => change({ website })}
        />
        <section class="card">
          <h2>{words.newAlias.recipients}</h2>
          <Picker
            chosen={wanted.recipients}
            refused={problem?.code === "recipients_ineligible" ? problem.recipients : []}
            onChange={(chosen) => change({ recipients: chosen })}
          />
        </section>
        <ProblemNotice error={creating.error} />
        <Button look="main" busy={creating.isPending}>
          {words.newAlias.create}
        </Button>
      </Form>
    </View>
  );
};
