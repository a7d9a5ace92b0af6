import { installOnDebian } from "../../packages/test-support/src/install-on-debian.ts";
import { MACHINE_PROGRAMS } from "../../packages/test-support/src/machines.ts";

/** Runs before all tests: what the documents tell an operator to use. */
export const setup = (): void =>
  installOnDebian([
    { debianPackage: "sqlite3", probe: ["sqlite3", "--version"], need: "the sqlite3 command" },
    { debianPackage: "openssl", probe: ["openssl", "version"], need: "the openssl command" },
    { debianPackage: "nginx-light", probe: ["nginx", "-v"], need: "nginx 1.22 or later" },
    { debianPackage: "debootstrap", probe: ["debootstrap", "--version"], need: "the debootstrap command" },
    { debianPackage: "dnsmasq-base", probe: ["dnsmasq", "--version"], need: "the dnsmasq command" },
    { debianPackage: "swaks", probe: ["swaks", "--version"], need: "swaks" },
    ...MACHINE_PROGRAMS,
    {
      debianPackage: "systemd",
      probe: ["systemd-analyze", "--version"],
      need: "the systemd-analyze command",
    },
  ]);
