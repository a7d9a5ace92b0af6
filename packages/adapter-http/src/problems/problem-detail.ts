import type { AddressNotAllowed } from "@postern/core";
import type { Failure } from "./failure.ts";

const NOT_ALLOWED: Record<AddressNotAllowed["reason"], string> = {
  not_an_alias_domain: "The address is not on one of the service's alias domains.",
  reserved: "The name is reserved for those who run the domain (RFC 2142). Choose another one.",
  is_an_alias_domain:
    "The address is on one of the service's own alias domains: mail to it would run in a circle.",
};

/** What is wrong and what to do about it. Holds nothing that the request held. */
export const detail = (failure: Failure): string => {
  switch (failure.code) {
    case "malformed_json":
      return "The body is not JSON in UTF-8. Correct it and send it again.";
    case "invalid_request":
      return "The request is not of the documented form. Correct what `errors` names and send it again.";
    case "link_invalid":
      return "The link is expired, was replaced by a newer one or is not of this service. Ask for a new one.";
    case "alias_not_found":
      return "The account has no alias of this id.";
    case "recipient_not_found":
      return "The account has no recipient of this id.";
    case "route_not_found":
      return "There is nothing at this path.";
    case "method_not_allowed":
      return `This path answers ${failure.allow.join(", ")} only.`;
    case "request_timeout":
      return "The request did not arrive whole in time. Send it again.";
    case "alias_deleted":
      return "The alias is deleted, so its settings cannot be changed.";
    case "address_taken":
      return "The address is in use already. Choose another one.";
    case "recipient_attached":
      return "Aliases still forward to the recipient. Reassign them to another one first.";
    case "precondition_failed":
      return "The alias has changed since the version that If-Match names. Load it and decide again.";
    case "payload_too_large":
      return "The body is larger than 64 KiB.";
    case "unsupported_media_type":
      return "The body must be sent as application/json in UTF-8, not compressed; a PATCH also as application/merge-patch+json.";
    case "recipients_ineligible":
      return "Each listed recipient must be a verified and active one of the account. Nothing was changed.";
    case "address_not_allowed":
      return NOT_ALLOWED[failure.reason];
    case "rate_limited":
      return "of" in failure
        ? "More requests came than are answered in a minute. Wait as long as Retry-After says."
        : "Enough verification messages were sent to this recipient. Wait as long as Retry-After says.";
    case "headers_too_large":
      return "The request line and headers are larger than 16 KiB.";
    case "internal_error":
      return "The service failed at this. Try again later.";
    case "unavailable":
      return "The service cannot answer at the moment. Send the request again.";
  }
};
