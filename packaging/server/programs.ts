import { installOnDebian } from "../../packages/test-support/src/install-on-debian.ts";

/** Runs before all tests: what the documents tell an operator to use. */
export const setup = (): void =>
  installOnDebian([
    { debianPackage: "sqlite3", probe: ["sqlite3", "--version"], need: "the sqlite3 command" },
    { debianPackage: "openssl", probe: ["openssl", "version"], need: "the openssl command" },
    { debianPackage: "nginx-light", probe: ["nginx", "-v"], need: "nginx 1.22 or later" },
    {
      debianPackage: "systemd",
      probe: ["systemd-analyze", "--version"],
      need: "the systemd-analyze command",
    },
  ]);
