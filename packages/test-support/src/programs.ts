import { CAN_MOUNT } from "./can-mount.ts";
import { DOVECOT_PROGRAMS } from "./dovecot.ts";
import { GLEWLWYD_PROGRAMS } from "./glewlwyd.ts";
import { installOnDebian } from "./install-on-debian.ts";
import { MACHINE_PROGRAMS } from "./machines.ts";
import { OPENDKIM_PROGRAMS, POSTFIX_PROGRAMS } from "./postfix.ts";
import { VERIFIER_PROGRAMS } from "./signature-verifiers.ts";
import { isTouched, NIGHT } from "./whole-files.ts";

/** By day, the tests of identity providers use only those from npm. */
const usesGlewlwyd = NIGHT || isTouched("packages/server/test/identity-providers.test.ts");

/** By day, no benchmark forwards mail with it. */
const usesOpenDkim = NIGHT || isTouched("bench/test/mail-contenders.test.ts");

/** Runs before all tests: installs what operators use besides the server, as the distribution has it. */
export const setup = (): void =>
  installOnDebian([
    { debianPackage: "sqlite3", probe: ["sqlite3", "--version"], need: "the sqlite3 command" },
    { debianPackage: "openssl", probe: ["openssl", "version"], need: "the openssl command" },
    { debianPackage: "zsh", probe: ["zsh", "--version"], need: "the zsh command" },
    { debianPackage: "dnsmasq-base", probe: ["dnsmasq", "--version"], need: "the dnsmasq command" },
    { debianPackage: "prometheus", probe: ["promtool", "--version"], need: "prometheus and promtool" },
    {
      debianPackage: "systemd",
      probe: ["systemd-analyze", "--version"],
      need: "systemd, which need not run",
    },
    ...(CAN_MOUNT
      ? [{ debianPackage: "e2fsprogs", probe: ["mkfs.ext4", "-V"], need: "the mkfs.ext4 command" } as const]
      : []),
    ...VERIFIER_PROGRAMS,
    ...MACHINE_PROGRAMS,
    ...POSTFIX_PROGRAMS,
    ...(usesOpenDkim ? OPENDKIM_PROGRAMS : []),
    ...DOVECOT_PROGRAMS,
    ...(usesGlewlwyd ? GLEWLWYD_PROGRAMS : []),
  ]);
