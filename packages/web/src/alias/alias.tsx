import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { path } from "../router.ts";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { Contacts } from "./contacts.tsx";
import { Messages } from "./messages.tsx";
import { Rules } from "./rules.tsx";

const TABS = [
  ["", "messages", Messages],
  ["/contacts", "contacts", Contacts],
  ["/rules", "rules", Rules],
] as const;

/** One alias: what it is, whom it forwards to, and in tabs what happens at it. */
export const Alias = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useRead(["alias", id], (signal) => api.getAlias(id, { signal }));
  const here = `/aliases/${encodeURIComponent(id)}`;
  const [, , Tab] = TABS.find(([end]) => path.value === here + end) ?? TABS[0];
  return (
    <View
      title={words.alias.title}
      heading={data && <bdi>{data.data.alias_email}</bdi>}
      back={{ to: "/", name: words.shell.sections.aliases }}
    >
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <nav class="tabs" aria-label={words.alias.tabs}>
            {TABS.map(([end, name]) => (
              <a key={name} href={here + end} aria-current={path.value === here + end ? "page" : undefined}>
                {words.alias[name]}
              </a>
            ))}
          </nav>
          <Tab alias={data.data} />
        </>
      )}
    </View>
  );
};
