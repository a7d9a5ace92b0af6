import { parseAccountId, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type SesState, startFakeSes } from "@postern/test-support/fake-ses";
import { onTestFinished } from "vitest";

export const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "private-key" };

export const settings = {
  region: "eu-west-1",
  credentials,
  from: "postern@mail.example",
  publicUrl: "https://postern.example",
};

export const message = {
  account: valueOf(parseAccountId("tenant-1")),
  to: valueOf(parseEmailAddress("ada@example.com")),
  token: "tok_en-1",
};

/** A stand-in for SES that stops with the test. */
export const startSes = async (state?: Partial<SesState>) => {
  const ses = await startFakeSes(state);
  onTestFinished(ses.close);
  return ses;
};
