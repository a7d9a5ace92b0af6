import { afterAll, beforeAll } from "vitest";
import { type Issuer, startIssuer } from "./issuer.ts";

/** An issuer for all tests of a file. It exists only within hooks and tests. */
export const useIssuer = (): (() => Issuer) => {
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(() => issuer.stop());
  return () => issuer;
};
