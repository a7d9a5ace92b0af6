import { words } from "../words/words.ts";
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";

/** In place of a part of the app that is being loaded, or that could not be. */
export const MissingPart = ({ hasFailed }: { readonly hasFailed: boolean }) =>
  hasFailed ? (
    <Notice look="bad" action={{ name: words.shell.reload, run: () => location.reload() }}>
      {words.shell.failed}
    </Notice>
  ) : (
    <Loading />
  );
