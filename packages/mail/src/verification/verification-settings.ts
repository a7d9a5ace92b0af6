import { type EmailAddress, parseEmailAddress } from "@postern/core";
import { configured } from "@postern/core/operations";
import {
  DEFAULT_LANGUAGE,
  DEFAULT_SERVICE,
  type Language,
  parseLanguage,
  parseService,
  type Service,
} from "@postern/core/words";
import { verificationPage } from "./verification-link.ts";

/** What verification messages say. */
export type VerificationSettings = {
  /** The address that messages are sent from and bounces return to. */
  readonly from: string;
  /** The base URL of the verification page: links lead to `/recipients/verify` under it. */
  readonly publicUrl: string;
  /** What messages call the service, in `From` too, and its website; "Postern", without one, by default. */
  readonly service?: Service | undefined;
  /** The language of messages; English by default. */
  readonly language?: Language | undefined;
};

/** The settings after they were parsed. */
export type ParsedVerificationSettings = {
  readonly from: EmailAddress;
  readonly page: URL;
  readonly service: Service;
  readonly language: Language;
};

/** @throws TypeError that does not repeat the value */
export const parseVerificationSettings = ({
  from,
  publicUrl,
  service = DEFAULT_SERVICE,
  language = DEFAULT_LANGUAGE,
}: VerificationSettings): ParsedVerificationSettings => ({
  from: configured("from", parseEmailAddress(from)),
  page: verificationPage(publicUrl),
  service: configured("service", parseService(service)),
  language: configured("language", parseLanguage(language)),
});
