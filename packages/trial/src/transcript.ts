import { PEOPLE } from "./identity-provider/registered.ts";

export type Trial = {
  readonly api: string;
  readonly mailPort: number;
  /** The identity provider, and the id of the client for scripts. */
  readonly provider: { readonly url: string; readonly client: string };
  /** The folder with the mailboxes. */
  readonly mailboxes: string;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Shell code for a text field of the JSON in a variable. The values in this transcript contain no quotes. */
const field = (name: string, variable: string): string =>
  `$(echo "$${variable}" | sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p')`;

/**
 * Commands for another terminal, from signing in to a message that arrives, and is answered. They need a POSIX shell, curl, sed and
 * grep, and can be pasted again. Shell variables carry results from one step to the next. There are no comments, because zsh would run them as commands, and no
 * file patterns, because zsh fails if nothing matches one yet.
 */
export const transcript = ({ api, mailPort, provider: { url, client }, mailboxes }: Trial): string => {
  const { email, password } = PEOPLE.ready;
  // The addresses are different whenever the commands run: what they created before is still stored.
  return `\
NAME=$(date +%s)
ADA=ada-$NAME@example.com GRACE=grace-$NAME@example.com SHOP=shop-$NAME@postern.example

echo '1. Sign in'
SIGNED_IN=$(curl -sS ${url}/ \\
  -H 'Content-Type: application/x-amz-json-1.1' \\
  -H 'X-Amz-Target: AWSCognitoIdentityProviderService.InitiateAuth' \\
  -d '{"AuthFlow":"USER_PASSWORD_AUTH","ClientId":"${client}",
       "AuthParameters":{"USERNAME":"${email}","PASSWORD":"${password}"}}')
TOKEN=${field("IdToken", "SIGNED_IN")}
postern() { curl -sS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
soon() { N=0; until "$@" >/dev/null 2>&1 || [ $N = 60 ]; do sleep 1; N=$((N + 1)); done; }

echo '2. Add two recipients: mailboxes to forward mail to'
ADDED=$(postern ${api}/recipients -d '{"recipient_email":"'"$ADA"'"}'); echo "$ADDED"
ADA_ID=${field("recipient_id", "ADDED")}
ADDED=$(postern ${api}/recipients -d '{"recipient_email":"'"$GRACE"'"}'); echo "$ADDED"
GRACE_ID=${field("recipient_id", "ADDED")}

echo '3. Open the links in the messages to them, and confirm'
MAILBOXES=${quoted(mailboxes)}
ADA_MAIL=$MAILBOXES/$ADA
GRACE_MAIL=$MAILBOXES/$GRACE
soon ls "$ADA_MAIL/1.txt" "$GRACE_MAIL/1.txt"
curl -sS "$(grep 'verify?token=' "$ADA_MAIL/1.txt")&confirm=true"; echo
curl -sS "$(grep 'verify?token=' "$GRACE_MAIL/1.txt")&confirm=true"; echo

echo '4. Create an alias that forwards to Ada'
ALIAS=$(postern ${api}/aliases \\
  -d '{"alias_email":"'"$SHOP"'","recipient_ids":["'"$ADA_ID"'"]}'); echo "$ALIAS"
ALIAS_ID=${field("alias_id", "ALIAS")}

echo '5. Replace its recipients: it now forwards to Grace and to Ada'
postern -X PUT ${api}/aliases/$ALIAS_ID/recipients -w '\\nHTTP %{http_code}\\n' \\
  -d '{"recipient_ids":["'"$GRACE_ID"'","'"$ADA_ID"'"]}'

echo '6. Send a message to the alias'
printf '%s\\n' 'From: Bob <bob@shop.example>' "To: $SHOP" 'Subject: Your order' '' 'It is on its way.' |
  curl -sS smtp://127.0.0.1:${mailPort} --mail-from bob@shop.example --mail-rcpt "$SHOP" --crlf -T -

echo '7. It arrives in both mailboxes'
soon ls "$ADA_MAIL/2.txt" "$GRACE_MAIL/2.txt"
head "$ADA_MAIL/2.txt" "$GRACE_MAIL/2.txt"

echo '8. Ada replies to the address that stands for Bob'
BOB=$(sed -n 's/^From: .*<\\(.*\\)>$/\\1/p' "$ADA_MAIL/2.txt")
printf '%s\\n' "From: Ada <$ADA>" "To: $BOB" 'Subject: Re: Your order' '' 'Thank you, Bob.' |
  curl -sS smtp://127.0.0.1:${mailPort} --mail-from "$ADA" --mail-rcpt "$BOB" --crlf -T -

echo '9. Bob gets the reply, from the alias'
answer() { grep -rl "$SHOP" "$MAILBOXES/bob@shop.example" | grep 'txt$'; }
soon answer
head "$(answer)"

echo '10. The alias counters have gone up'
counters() { postern ${api}/aliases/$ALIAS_ID | grep -o '"emails_[a-z]*":[0-9]*'; }
counted() { counters | grep '"emails_delivered":2' && counters | grep '"emails_replied":1'; }
soon counted
counters
`;
};
