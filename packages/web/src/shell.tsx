import { QueryClientProvider } from "@tanstack/preact-query";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connect, reads } from "./api/api.ts";
import { useService } from "./api/service.ts";
import { path } from "./router.ts";
import { routeOf, VIEWS } from "./routes.ts";
import { Icon, type IconName } from "./ui/icons.tsx";
import { MissingPart } from "./ui/missing-part.tsx";
import { Notice } from "./ui/notice.tsx";
import { words } from "./words/words.ts";

const SECTIONS = [
  ["/", "aliases", "alias"],
  ["/recipients", "recipients", "recipients"],
  ["/blocked-senders", "blockedSenders", "block"],
  ["/webhooks", "webhooks", "webhook"],
  ["/keys", "keys", "key"],
  ["/settings", "settings", "settings"],
] as const satisfies readonly (readonly [string, keyof typeof words.shell.sections, IconName])[];

const Navigation = () => {
  const service = useService();
  const isHere = (to: string) =>
    to === "/" ? /^\/($|aliases|new$)/.test(path.value) : path.value.startsWith(to);
  const isOffered = (to: string) =>
    (to !== "/webhooks" || service?.webhooks !== false) && (to !== "/keys" || service?.keys_url !== null);
  return (
    <nav aria-label={words.shell.navigation}>
      {SECTIONS.filter(([to]) => isOffered(to)).map(([to, name, icon]) => (
        <a key={to} href={to} aria-current={isHere(to) ? "page" : undefined}>
          <Icon name={icon} />
          {words.shell.sections[name]}
        </a>
      ))}
    </nav>
  );
};

const useOffline = (): boolean => {
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const read = () => setOffline(!navigator.onLine);
    addEventListener("online", read);
    addEventListener("offline", read);
    return () => {
      removeEventListener("online", read);
      removeEventListener("offline", read);
    };
  }, []);
  return isOffline;
};

/** Views are loaded when they are opened. Those that were are shown at once. */
const loaded = new Map<keyof typeof VIEWS, ComponentType<{ id: string }>>();

const CurrentView = () => {
  const route = routeOf(path.value);
  const [, setLoads] = useState(0);
  const [failed, setFailed] = useState<string | null>(null);
  const name = route?.view;
  useEffect(() => {
    if (name === undefined || loaded.has(name)) return;
    VIEWS[name]().then(
      (view) => {
        loaded.set(name, view);
        setLoads((count) => count + 1);
      },
      () => setFailed(name),
    );
  }, [name]);
  if (route === null || name === undefined) {
    return (
      <main>
        <h1>{words.shell.notFound}</h1>
        <p>{words.shell.notFoundText}</p>
        <a href="/">{words.shell.home}</a>
      </main>
    );
  }
  const View = loaded.get(name);
  if (View !== undefined) return <View key={`${name} ${route.id}`} id={route.id} />;
  return (
    <main>
      <MissingPart hasFailed={failed === name} />
    </main>
  );
};

/** What is around every view of somebody who is signed in. */
const Around = () => {
  const [isOpen, setOpen] = useState(false);
  const here = path.value;
  useEffect(() => {
    // Whoever has moved needs the menu no more.
    if (here) setOpen(false);
  }, [here]);
  const isOffline = useOffline();
  return (
    <div class={`shell ${isOpen ? "open" : ""}`}>
      <a class="skip" href="#main">
        {words.shell.skip}
      </a>
      <header class="bar">
        <a class="brand" href="/">
          Postern
        </a>
        <button
          type="button"
          class="button menu"
          aria-expanded={isOpen}
          aria-controls="sections"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
          {words.shell.menu}
        </button>
        <div id="sections">
          <Navigation />
        </div>
      </header>
      <div class="content">
        {isOffline && <Notice look="info">{words.shell.offline}</Notice>}
        <CurrentView />
      </div>
    </div>
  );
};

export const Shell = ({ api: address }: { readonly api: string }) => {
  // Before anything is read.
  useState(() => connect(address));
  return (
    <QueryClientProvider client={reads}>
      <Around />
    </QueryClientProvider>
  );
};
