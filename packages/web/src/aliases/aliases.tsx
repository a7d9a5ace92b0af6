import type { ClientError, Schemas } from "@postern/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { usePages, useRead } from "../api/read.ts";
import { query, setParameters } from "../router.ts";
import { Address } from "../ui/address.tsx";
import { Copy } from "../ui/copy.tsx";
import { EndlessList } from "../ui/endless-list.tsx";
import { Field, Select } from "../ui/field.tsx";
import { Icon } from "../ui/icons.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Switch } from "../ui/switch.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { useSwitchAlias } from "./switch-alias.ts";

type Alias = Schemas["Alias"];

/** How long after the last key a search begins, in milliseconds. */
const PAUSE = 200;

const SHOWN = ["all", "on", "off", "deleted"] as const;
type Shown = (typeof SHOWN)[number];

/** The filters, which are in the address of the page. */
const useFilters = () => {
  const parameters = new URLSearchParams(query.value);
  const q = parameters.get("q") ?? "";
  const recipient = parameters.get("recipient") ?? "";
  const show: Shown = SHOWN.find((each) => each === parameters.get("show")) ?? "all";
  return { q, recipient, show };
};

/** Searches as somebody types, but not at every key. */
const Search = ({ q }: { readonly q: string }) => {
  const [typed, setTyped] = useState(q);
  // Somebody has gone back, or cleared the filters.
  useEffect(() => setTyped((current) => (current.trim() === q ? current : q)), [q]);
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => setParameters({ q: typed.trim() }), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, q]);
  return (
    <Field
      label={words.aliases.search}
      placeholder={words.aliases.searchHint}
      type="search"
      autocapitalize="off"
      value={typed}
      onInput={setTyped}
    />
  );
};

const Row = ({
  alias,
  onSwitch,
}: {
  readonly alias: Alias;
  readonly onSwitch: (active: boolean) => void;
}) => {
  const { alias_id, alias_email, description, active, destination_emails, datetime_deleted } = alias;
  return (
    <li class={`row ${active && datetime_deleted === null ? "" : "off"}`}>
      <div class="grow">
        <a href={`/aliases/${encodeURIComponent(alias_id)}`}>
          <Address of={alias_email} />
        </a>
        <Copy text={alias_email} />
        {description !== "" && (
          <p class="clamp">
            <bdi>{description}</bdi>
          </p>
        )}
        <p class="quiet">
          {destination_emails.length > 0 && <span>{words.aliases.to(destination_emails)}</span>}
          {destination_emails.length > 0 && " · "}
          {words.aliases.counts(alias.emails_sent, alias.emails_blocked)}
        </p>
      </div>
      {datetime_deleted === null && (
        <Switch label={words.aliases.forwards(alias_email)} on={active} onChange={onSwitch} />
      )}
    </li>
  );
};

/** What to do when there is nothing to show: depends on what is missing. */
const Empty = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const { data } = useRead(["recipients", "first"], (signal) =>
    api.listRecipients({ limit: 50 }, { signal }),
  );
  if (isFiltered) {
    return (
      <div class="empty">
        <h2>{words.aliases.nothing}</h2>
        <p>{words.aliases.nothingText}</p>
        <a class="button" href="/">
          {words.aliases.showAll}
        </a>
      </div>
    );
  }
  const recipients = data?.data.recipients;
  const [first] = recipients ?? [];
  if (recipients === undefined) return null;
  if (first === undefined) {
    return (
      <div class="empty">
        <h2>{words.aliases.noRecipient}</h2>
        <p>{words.aliases.noRecipientText}</p>
        <a class="button main" href="/recipients">
          {words.aliases.addRecipient}
        </a>
      </div>
    );
  }
  if (recipients.every(({ verified }) => !verified)) {
    return (
      <div class="empty">
        <h2>{words.aliases.unconfirmed}</h2>
        <p>{words.aliases.unconfirmedText(first.recipient_email)}</p>
        <a class="button main" href="/recipients">
          {words.aliases.toRecipients}
        </a>
      </div>
    );
  }
  return (
    <div class="empty">
      <h2>{words.aliases.none}</h2>
      <p>{words.aliases.noneText}</p>
      <a class="button main" href="/new">
        {words.aliases.new}
      </a>
    </div>
  );
};

export const Aliases = () => {
  const { q, recipient, show } = useFilters();
  const filters = {
    ...(q !== "" && { q }),
    ...(recipient !== "" && { recipient_id: recipient }),
    ...(show === "deleted" && { deleted: true }),
    ...((show === "on" || show === "off") && { active: show === "on" }),
  };
  const pages = usePages(["aliases", filters], (page, signal) =>
    api.listAliases({ ...filters, ...page, limit: 50 }, { signal }),
  );
  const recipients = useRead(["recipients", "first"], (signal) =>
    api.listRecipients({ limit: 50 }, { signal }),
  );
  const [error, setError] = useState<ClientError | null>(null);
  const switching = useSwitchAlias(setError);
  const choices = recipients.data?.data.recipients ?? [];
  return (
    <View
      title={words.shell.sections.aliases}
      action={
        <a class="button main" href="/new">
          <Icon name="plus" />
          {words.aliases.new}
        </a>
      }
    >
      <div class="filters">
        <Search q={q} />
        <Select
          label={words.aliases.show}
          value={show}
          onInput={(value) => setParameters({ show: value === "all" ? "" : value })}
          options={SHOWN.map((each) => [each, words.aliases[each]])}
        />
        {choices.length > 1 && (
          <Select
            label={words.aliases.recipient}
            value={recipient}
            onInput={(value) => setParameters({ recipient: value })}
            options={[
              ["", words.aliases.anyRecipient],
              ...choices.map(({ recipient_id, recipient_email }) => [recipient_id, recipient_email] as const),
            ]}
          />
        )}
      </div>
      <ProblemNotice error={error} />
      <EndlessList
        name={`aliases ${JSON.stringify(filters)}`}
        label={words.shell.sections.aliases}
        pages={pages}
        items={(page) => page.aliases}
        empty={<Empty isFiltered={q !== "" || recipient !== "" || show !== "all"} />}
        row={(alias) => (
          <Row
            key={alias.alias_id}
            alias={alias}
            onSwitch={(active) => {
              setError(null);
              switching.mutate({ alias, active });
            }}
          />
        )}
      />
    </View>
  );
};
