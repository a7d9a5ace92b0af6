import type { Check } from "./check.ts";
import { aliasDomains } from "./checks/alias-domains.ts";
import { configuration } from "./checks/configuration.ts";
import { disk } from "./checks/disk.ts";
import { files } from "./checks/files.ts";
import { issuer } from "./checks/issuer.ts";
import { dkim } from "./checks/mail/dkim.ts";
import { domainPolicies } from "./checks/mail/domain-policies.ts";
import { mxPort } from "./checks/mail/mx-port.ts";
import { mxTls } from "./checks/mail/mx-tls.ts";
import { relay } from "./checks/mail/relay.ts";
import { spool } from "./checks/mail/spool.ts";
import { metricsPort } from "./checks/metrics-port.ts";
import { port } from "./checks/port.ts";
import { publicUrl } from "./checks/public-url.ts";
import { redis } from "./checks/redis.ts";
import { senderDomain } from "./checks/sender-domain.ts";
import { smtp } from "./checks/smtp.ts";
import { store } from "./checks/store.ts";

/** Every check, in the order of the report. They run concurrently, except those with `after`. */
export const checks: readonly Check[] = [
  configuration,
  store,
  files,
  disk,
  issuer,
  smtp,
  senderDomain,
  aliasDomains,
  redis,
  publicUrl,
  port,
  metricsPort,
  mxPort,
  mxTls,
  spool,
  relay,
  dkim,
  domainPolicies,
];
