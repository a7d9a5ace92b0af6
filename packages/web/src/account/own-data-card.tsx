import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { forgetOwnData, makeOwnData, ownData } from "./own-data.ts";
import { isWaiting } from "./persist.ts";

const Progress = ({ done, of }: { readonly done: number; readonly of: number | null }) => (
  <>
    <p>{of === null ? words.settings.reading : words.settings.progress(done, of)}</p>
    <progress aria-label={words.settings.data} {...(of !== null && { value: done, max: Math.max(1, of) })} />
    <p class="quiet">{isWaiting.value ? words.settings.waiting : words.settings.goesOn}</p>
  </>
);

/** A file with everything that somebody has, for themselves. */
export const OwnDataCard = ({ perMinute }: { readonly perMinute: number | null | undefined }) => {
  const state = ownData.value;
  const isBusy = state.type === "lists" || state.type === "aliases";
  return (
    <section class="card">
      <h2>{words.settings.data}</h2>
      <p>{words.settings.dataText}</p>
      {isBusy && (
        <Progress
          done={state.type === "aliases" ? state.done : 0}
          of={state.type === "aliases" ? state.of : null}
        />
      )}
      {state.type === "ready" && <p>{words.settings.ready(state.aliases)}</p>}
      {state.type === "failed" && <ProblemNotice error={state.error} />}
      <div class="actions">
        {state.type === "ready" && (
          <a class="button main" href={state.file} download={state.name}>
            <Icon name="received" />
            {words.settings.saveFile}
          </a>
        )}
        {perMinute !== undefined && (
          <Button onClick={() => (isBusy ? forgetOwnData() : void makeOwnData(perMinute))}>
            {isBusy
              ? words.common.cancel
              : state.type === "none"
                ? words.settings.prepare
                : words.settings.prepareAgain}
          </Button>
        )}
      </div>
    </section>
  );
};
