import type { ClientError } from "@postern/client";
import { Loading } from "./loading.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** What to say of something that is read: that it is not there yet, or why it could not be read; nothing if it is there. */
export const Reading = ({
  of: { data, error, refetch },
}: {
  readonly of: {
    readonly data: unknown;
    readonly error: ClientError | null;
    readonly refetch: () => Promise<unknown>;
  };
}) => {
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : null;
};
