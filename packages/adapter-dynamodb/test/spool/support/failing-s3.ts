import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";

/** Whether S3 never gets the request, or the response is lost. */
export type S3Fault = { readonly command: string; readonly when: "before" | "after" };

/** A client of S3 whose requests of one kind fail while a fault is set. It does not repeat them. */
export const failingS3 = (location: S3ClientConfig) => {
  let fault: S3Fault | null = null;
  const client = new S3Client({ ...location, maxAttempts: 1 });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const failing = fault !== null && fault.command === commandName ? fault.when : null;
        const lost = Object.assign(new Error("lost"), { code: "ECONNRESET" });
        if (failing === "before") throw lost;
        const response = await next(args);
        if (failing === "after") throw lost;
        return response;
      },
    { step: "finalizeRequest", name: "failing" },
  );
  return {
    client,
    fail: (next: S3Fault | null) => {
      fault = next;
    },
  };
};
