import { randomBytes } from "node:crypto";
import type { IdentityProvider } from "./identity-provider.ts";

export type Trial = { readonly api: string; readonly provider: IdentityProvider; readonly links: string };

/** Shell code for a text field of the JSON in a variable. The values in this transcript contain no quotes. */
const field = (name: string, variable: string): string =>
  `$(echo "$${variable}" | sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p')`;

/** Shell code for the link that was mailed to an address. */
const link = (address: string, links: string): string => `$(sed -n 's/^${address} //p' '${links}')`;

/**
 * Commands for another terminal, from signing in to replacing an alias's recipients. They need a POSIX shell, curl and
 * sed. Shell variables carry results from one step to the next. There are no comments, because zsh would run them as
 * commands.
 */
export const transcript = ({ api, provider: { url, client, user }, links }: Trial): string => {
  // Different in every trial: aliases of earlier trials are still stored, and addresses are unique.
  const name = randomBytes(3).toString("hex");
  const [ada, grace] = [`ada-${name}@example.com`, `grace-${name}@example.com`];
  return `\
echo '1. Sign in'
SIGNED_IN=$(curl -sS ${url}/ \\
  -H 'Content-Type: application/x-amz-json-1.1' \\
  -H 'X-Amz-Target: AWSCognitoIdentityProviderService.InitiateAuth' \\
  -d '{"AuthFlow":"USER_PASSWORD_AUTH","ClientId":"${client}",
       "AuthParameters":{"USERNAME":"${user.email}","PASSWORD":"${user.password}"}}')
TOKEN=${field("IdToken", "SIGNED_IN")}
postern() { curl -sS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }

echo '2. Add two recipients: mailboxes to forward mail to'
ADA=$(postern ${api}/recipients -d '{"recipient_email":"${ada}"}'); echo "$ADA"
GRACE=$(postern ${api}/recipients -d '{"recipient_email":"${grace}"}'); echo "$GRACE"
ADA_ID=${field("recipient_id", "ADA")}
GRACE_ID=${field("recipient_id", "GRACE")}

echo '3. Open the links in the messages to them, and confirm'
ADA_LINK=${link(ada, links)}
GRACE_LINK=${link(grace, links)}
curl -sS "$ADA_LINK&confirm=true"; echo
curl -sS "$GRACE_LINK&confirm=true"; echo

echo '4. Create an alias that forwards to Ada'
ALIAS=$(postern ${api}/aliases \\
  -d '{"alias_email":"shop-${name}@postern.example","recipient_ids":["'"$ADA_ID"'"]}'); echo "$ALIAS"
ALIAS_ID=${field("alias_id", "ALIAS")}

echo '5. Replace its recipients: it now forwards to Grace and to Ada'
postern -X PUT ${api}/aliases/$ALIAS_ID/recipients -w '\\nHTTP %{http_code}\\n' \\
  -d '{"recipient_ids":["'"$GRACE_ID"'","'"$ADA_ID"'"]}'

echo '6. List your aliases'
postern ${api}/aliases -w '\\nHTTP %{http_code}\\n'
`;
};
