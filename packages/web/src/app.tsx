import type { Refusal } from "@postern/sign-in";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { followLinks, navigate, path } from "./router.ts";
import { arrive, CALLBACK } from "./session/provider-page.ts";
import { hasEnded, resume, session } from "./session/session.ts";
import type { Settings } from "./settings.ts";
import { SignIn } from "./sign-in/sign-in.tsx";
import { Announcer } from "./ui/announcer.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { MissingPart } from "./ui/missing-part.tsx";
import { words } from "./words/words.ts";

/** In place of the app, for the operator: it cannot work. */
export const Fault = ({ fault }: { readonly fault: string }) => (
  <main class="card">
    <h1>Postern</h1>
    <p>{words.shell.settingsFault}</p>
    <p>
      <strong>{fault}</strong>
    </p>
  </main>
);

/** Everything for somebody who is signed in. It is loaded while they type their password. */
const loadShell = () => import("./shell.tsx");

const SignedIn = ({ settings }: { readonly settings: Settings }) => {
  const [Shell, setShell] = useState<ComponentType<{ api: string }> | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    loadShell().then(
      (module) => setShell(() => module.Shell),
      () => setFailed(true),
    );
  }, []);
  if (Shell !== null) return <Shell api={settings.api} />;
  return (
    <main class="card">
      <MissingPart hasFailed={failed} />
    </main>
  );
};

/** Somebody who is not signed in has one thing to do. Somebody whose session has ended keeps the view, with what they typed. */
export const App = ({ settings }: { readonly settings: Settings }) => {
  const [isReady, setReady] = useState(false);
  const [refused, setRefused] = useState<Refusal | null>(null);
  useEffect(() => {
    followLinks();
    const start = async () => {
      await resume(settings.provider);
      if (path.value === CALLBACK) {
        const { wayBack, refusal } = await arrive(settings.provider);
        navigate(wayBack, { replace: true });
        setRefused(refusal);
      }
      setReady(true);
      // What fails to load now is loaded once more when it is needed.
      loadShell().catch(() => {});
    };
    void start();
  }, [settings]);
  const current = session.value;
  return (
    <>
      {isReady && current === null && (
        <main class="card">
          <SignIn settings={settings} refused={refused} />
        </main>
      )}
      {current !== null && isReady && <SignedIn key={current.sub} settings={settings} />}
      {hasEnded.value && (
        <Dialog title={words.signIn.again} onClose={() => {}}>
          <p>{words.signIn.ended}</p>
          <SignIn settings={settings} isAgain />
        </Dialog>
      )}
      <Announcer />
    </>
  );
};
