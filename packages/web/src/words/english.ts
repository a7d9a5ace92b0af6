import type { Problem, Schemas } from "@postern/client";
import type { RefusalCode } from "@postern/sign-in";
import { list, many, number } from "../format.ts";

/** What to say of each problem; of some, with what it tells besides its code. */
export type ProblemWords = {
  readonly [Code in Problem["code"]]:
    | string
    | ((problem: Extract<Problem, { readonly code: Code }>) => string);
};

const problems: ProblemWords = {
  account_not_allowed: "You are signed in, but this service has not been opened to you. Ask whoever runs it.",
  account_suspended:
    "Your account is suspended. You can look at everything, but change nothing. Ask whoever runs the service.",
  address_not_allowed:
    "This address cannot be used. Addresses of the service itself, and some names, are reserved.",
  address_taken: "This address is taken already. Choose another one.",
  alias_deleted: "This alias has been deleted. Restore it first.",
  alias_inactive: "This alias is switched off. Switch it on first.",
  alias_not_found: "There is no such alias. It may have been removed for good.",
  api_keys_disabled: "This service gives no keys. Ask whoever runs it.",
  contact_not_found: "This contact is not there any more.",
  headers_too_large: "The request was too large. Sign out and in again.",
  idempotency_key_reused:
    "Something else was created with this form already. Look at the list, then try again.",
  insufficient_scope: "This sign-in may not do that.",
  internal_error: "The service has failed. Try again later.",
  invalid_request: ({ errors }) => `Something is not valid: ${list(errors.map(({ reason }) => reason))}.`,
  link_invalid: "This link is not valid any more.",
  mailbox_suppressed: "The owner of this mailbox never wants to be asked again. It cannot be a recipient.",
  malformed_json: "The service did not understand the app. Load the page again.",
  message_not_found: "This message is older than 30 days, or is not kept any more.",
  message_not_kept: "The content of this message is not kept any more, so it cannot be sent again.",
  misconfigured: "The service is not set up correctly. Ask whoever runs it.",
  payload_too_large: "This is too long. Shorten it.",
  precondition_failed:
    "Somebody has changed this meanwhile, perhaps you in another tab. What it is now has been loaded.",
  rate_limited: "That was too much at once.",
  recipient_attached: ({ alias_count }) =>
    `${many(alias_count, "alias still forwards", "aliases still forward")} to this recipient. Move them to another recipient first.`,
  recipient_not_found: "There is no such recipient. It may have been deleted.",
  recipients_ineligible:
    "Not all of these recipients can be chosen: one of them is not confirmed, is switched off, or has been deleted.",
  request_timeout: "The request took too long to arrive. Try again.",
  too_many_aliases: ({ limit }) => `You have as many aliases as you can have: ${number(limit)}.`,
  too_many_api_keys: ({ limit }) =>
    `You have as many keys as you can have: ${number(limit)}. Delete one first.`,
  too_many_blocked_senders: ({ limit }) => `You have blocked as many senders as you can: ${number(limit)}.`,
  too_many_contacts: ({ limit }) => `This alias has as many contacts as it can have: ${number(limit)}.`,
  too_many_creations: "That was a lot of new things at once.",
  too_many_recipients: ({ limit }) => `You have as many recipients as you can have: ${number(limit)}.`,
  too_many_unverified_recipients: ({ limit }) =>
    `${many(limit, "recipient is", "recipients are")} still unconfirmed. Confirm or delete one first.`,
  too_many_webhooks: ({ limit }) =>
    `You have as many webhooks as you can have: ${number(limit)}. Delete one first.`,
  unauthorized: "You are not signed in any more, or the service for signing in cannot be reached.",
  unavailable: "The service cannot do this at the moment. Try again.",
  unreachable: ({ reason }) =>
    ({
      network: "There is no connection to the service. Check your network.",
      timeout: "The service did not answer in time. Look whether it was done before you try again.",
      aborted: "This was cancelled.",
      redirect: "The address of the service has changed. Ask whoever runs it.",
      not_the_api: "Something other than the service answered, perhaps the sign-in page of a Wi-Fi network.",
    })[reason],
  unsupported_media_type: "The service did not understand the app. Load the page again.",
  webhook_not_found: "There is no such webhook. It may have been deleted.",
  webhooks_disabled: "This service sends no webhooks.",
};

const refusals: Readonly<Record<RefusalCode, string>> = {
  wrong_credentials: "The name or the password is wrong.",
  wrong_code: "This code is wrong, or has been used. Wait for the next one.",
  expired: "This took too long. Begin again.",
  password_refused: "This password is not allowed. Choose a longer one, with letters, digits and symbols.",
  password_reset_required: "Your password was reset. Choose “Forgot your password?” to set a new one.",
  temporary_password_expired:
    "Your temporary password has expired. Ask whoever runs the service for another one.",
  not_confirmed: "Your account is not confirmed yet. Open the link in the message that you were sent.",
  too_many_attempts: "Too many attempts. Wait some minutes.",
  signed_out: "You have been signed out.",
  denied: "You cannot be signed in. Ask whoever runs the service.",
  invalid_input: "Something is missing.",
  misconfigured: "Signing in is not set up correctly. Ask whoever runs the service.",
  not_supported: "This page must be opened over https://.",
  untrusted: "Something was wrong with the answer of the sign-in service, so it was not used. Begin again.",
  unreachable: "The sign-in service cannot be reached. Try again later.",
  aborted: "This was cancelled.",
};

const copyStates: Readonly<Record<Schemas["CopyState"], string>> = {
  queued: "waiting to be sent",
  sent: "sent",
  delivered: "delivered",
  bounced: "refused by the mailbox",
  expired: "given up after five days",
  dropped: "not sent",
};

const verificationMails: Readonly<Record<Schemas["VerificationMail"], string>> = {
  sent: "A link was sent there. Open it, and choose “Confirm this address”.",
  queued: "A link is on its way there. Open it when it arrives, and choose “Confirm this address”.",
  not_sent: "The link could not be sent. If the address is right, send the link again later.",
  not_needed: "This address is confirmed already.",
};

const eventTypes: Readonly<Record<Schemas["EventType"], string>> = {
  "alias.created": "an alias is created",
  "alias.updated": "an alias is changed",
  "alias.deleted": "an alias is deleted",
  "message.blocked": "a message is refused at an alias",
  "message.queued": "a message waits to be sent on",
  "message.sent": "a message was sent on",
  "message.failed": "a message could not be sent on",
};

const offReasons: Readonly<Record<Schemas["OffReason"], string>> = {
  owner: "You have switched it off.",
  failing: "Switched off because it could not be reached for three days. Test it, then switch it on again.",
  gone: "Switched off because your program answered that it is gone (410). Test it, then switch it on again.",
};

export const english = {
  problems,
  unknownProblem: (title: string) => `The service refuses this: ${title}.`,
  refusals,
  copyStates,

  common: {
    cancel: "Cancel",
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    copyOf: (text: string) => `Copy ${text}`,
    notCopied: "Your browser does not allow copying here",
    delete: "Delete",
    loading: "Loading…",
    more: "Load more",
    optional: "optional",
    requestId: (id: string) => `For whoever runs the service: request ${id}`,
    save: "Save",
    saved: "Saved",
    tryAgain: "Try again",
    waitSeconds: (seconds: number) => `Try again in ${many(seconds, "second", "seconds")}.`,
    waitUntil: (time: string) => `Try again after ${time}.`,
  },

  shell: {
    navigation: "Sections",
    menu: "Menu",
    skip: "Skip to the content",
    offline: "You are offline. What you see may be old, and what you type stays here.",
    notFound: "There is no such page",
    notFoundText: "The link may be incomplete.",
    home: "Your aliases",
    settingsFault: "This app is not set up correctly. Whoever runs it must correct this:",
    failed: "This part of the app cannot be loaded. It may have been updated meanwhile.",
    reload: "Load the page again",
    sections: {
      aliases: "Aliases",
      recipients: "Recipients",
      blockedSenders: "Blocked senders",
      webhooks: "Webhooks",
      keys: "Keys",
      settings: "Settings",
    },
  },

  signIn: {
    title: "Sign in",
    again: "Sign in again",
    ended: "Your session has ended. Sign in to go on: what you typed is still here.",
    name: "Email address or user name",
    password: "Password",
    submit: "Sign in",
    forgot: "Forgot your password?",
    page: "Sign in with your account",
    or: "or",
    back: "Back to signing in",
    newPassword: "Choose a password",
    newPasswordText: "Your password was temporary. Choose one of your own.",
    newPasswordLabel: "New password",
    setPassword: "Set the password",
    code: "Code from your authenticator app",
    codeTitle: "One more step",
    continue: "Continue",
    reset: "Reset your password",
    resetText: "You are sent a code with which you can choose a new password.",
    sendCode: "Send the code",
    resetCode: "The code that you were sent",
    codeSentTo: (destination: string) =>
      destination === ""
        ? "If there is such an account, a code was sent."
        : `A code was sent to ${destination}.`,
    passwordChanged: "Your password was changed. Sign in with it.",
    otherChallenge: (name: string) =>
      `Your account wants a way of signing in that this app does not offer (${name}).`,
    signOut: "Sign out",
    attributes: {
      "userAttributes.name": "Name",
      "userAttributes.email": "Email address",
      "userAttributes.given_name": "First name",
      "userAttributes.family_name": "Last name",
      "userAttributes.phone_number": "Phone number",
    },
  },

  aliases: {
    new: "New alias",
    search: "Search",
    searchHint: "Address or description",
    show: "Show",
    all: "All",
    on: "On",
    off: "Off",
    deleted: "Deleted",
    recipient: "Recipient",
    anyRecipient: "Any recipient",
    forwards: (email: string) => `${email} forwards mail`,
    switchedOn: (email: string) => `${email} is switched on`,
    switchedOff: (email: string) => `${email} is switched off`,
    to: (destinations: readonly string[]) => `to ${list(destinations)}`,
    counts: (delivered: number, blocked: number) =>
      blocked === 0
        ? `${number(delivered)} forwarded`
        : `${number(delivered)} forwarded, ${number(blocked)} blocked`,
    noRecipient: "First, say where your mail is to go",
    noRecipientText:
      "Add the address of a mailbox of yours. Postern sends it a link, and forwards mail there once you have opened it.",
    addRecipient: "Add a recipient",
    unconfirmed: "One step is left: confirm your address",
    unconfirmedText: (email: string) =>
      `A link was sent to ${email}. Open it, and choose “Confirm this address”.`,
    toRecipients: "Your recipients",
    none: "You have no alias yet",
    noneText:
      "An alias is an address that you can give away: mail to it reaches your mailbox, and you can switch it off.",
    nothing: "Nothing found",
    nothingText: "No alias matches what you are looking for.",
    showAll: "Show all aliases",
  },

  alias: {
    title: "Alias",
    tabs: "Parts of this alias",
    messages: "Messages",
    contacts: "Contacts",
    rules: "Rules",
    forwards: (email: string) => `${email} forwards mail`,
    isOn: "On: mail is forwarded",
    isOff: "Off: mail is refused",
    description: "Description",
    describe: "Add a description",
    changeDescription: "Change the description",
    website: "Website",
    websiteHint: "The website that you gave this alias to. You can search for it.",
    addWebsite: "Add a website",
    changeWebsite: "Change",
    changedMeanwhile: "Meanwhile this was changed elsewhere. Now it is:",
    forwardsTo: "Forwards to",
    formerly: "Forwarded to",
    changeRecipients: "Change the recipients",
    saveMine: "Save mine",
    takeTheirs: "Keep that",
    created: (when: string) => `Created ${when}`,
    countersOf: (forwarded: number, blocked: number, replied: number) =>
      `${number(forwarded)} forwarded, ${number(replied)} sent, ${number(blocked)} blocked`,
    lastTime: "last",
    counters: {
      sent: ["Forwarded", "Copies that were handed on to the mail servers of your recipients."],
      delivered: ["Delivered", "Copies that are known to have arrived. Not every mail server says so."],
      bounced: [
        "Refused by a mailbox",
        "Copies that the mail server of a recipient refused, at once or later.",
      ],
      complaint: ["Marked as spam", "Copies that somebody marked as spam in the mailbox of a recipient."],
      replied: ["Sent from here", "Messages that your recipients have sent to somebody through this alias."],
      blocked: [
        "Blocked",
        "Messages that were not forwarded, because of a rule, a blocked sender, or because the alias was off.",
      ],
    } satisfies Readonly<Record<string, readonly [name: string, meaning: string]>>,
    delete: "Delete this alias",
    deleteTitle: "Delete this alias?",
    deleteText: "Mail to it is then refused. Nobody else can ever get the address, and you can restore it.",
    wasDeleted: (when: string) => `This alias was deleted ${when}. Mail to it is refused.`,
    deletedNow: "The alias is deleted",
    restore: "Restore it",
    restoredNow: "The alias is restored",
    restoreWith: "Not all of its former recipients can be used. Choose where its mail is to go.",
  },

  messages: {
    title: "Messages",
    from: "From",
    to: "To",
    unknown: "an unknown sender",
    none: "No message yet",
    noneText: "Messages to this alias, and those sent from it, are listed here.",
    kept: "Messages are listed for 30 days.",
    times: (count: number) => `${number(count)} messages like this within a minute`,
    blocked: "Not forwarded",
    unsubscribed: "You have unsubscribed from this list.",
    actions: "What you can do",
    sendAgain: "Send again",
    sendAgainUntil: (when: string) => `Possible until ${when}`,
    sentAgain: "It will be sent again in some seconds",
    blockHere: "Block this sender at this alias",
    blockEverywhere: "Block this sender everywhere",
    cannotBlock: "This sender is not among the contacts of the alias, so it cannot be blocked here.",
    blockedNow: (email: string) => `${email} is blocked`,
    blockHereText: (email: string) => `How is mail from ${email} to this alias to be treated?`,
    refuse: "Refuse it: the sender is told",
    discard: "Discard it: the sender is not told",
    block: "Block",
    blockEverywhereText: (email: string) =>
      `Mail from ${email} will be refused at all your aliases. Somebody who tries several of them can find out that they belong to one person.`,
    discardInstead:
      "If that matters, discard the mail instead: the sender is not told. That is for this alias only.",
    discardHere: "Discard it at this alias",
    reasons: {
      sender_not_authentic:
        "The message is not from the domain that it names as its sender, and that domain wants such messages to be refused.",
      contact_blocked: "You have blocked this sender at this alias.",
      sender_blocked: "You have blocked this sender everywhere.",
      not_written_to: "This alias accepts mail only from people that you have written to.",
      not_listed: "This alias accepts mail only from the senders in its rules.",
      alias_inactive: "The alias was off, or had ended.",
      account_suspended: "Your account was suspended.",
    } satisfies Readonly<Record<Schemas["BlockedReason"], string>>,
    failures: {
      mailbox_unknown: "there is no such mailbox",
      mailbox_full: "the mailbox is full",
      mailbox_disabled: "the mailbox is disabled",
      message_too_large: "the message is too large for the mailbox",
      refused_by_policy: "the mail server refuses such messages, perhaps as spam",
      unreachable: "the mail server could not be reached",
      relay_unavailable: "this service could not send at that time",
      other: "the mail server gave another reason",
    } satisfies Readonly<Record<Schemas["FailureReason"], string>>,
  },

  contacts: {
    title: "Contacts",
    explanation:
      "Whoever writes to this alias, or is named in a message to it, is a contact. To write to a contact, send a message from one of your mailboxes to the contact's reply address: it arrives from the alias.",
    ofDeleted:
      "These were the contacts of this alias. Until you restore it, nobody can be written to from it.",
    none: "No contact yet",
    nothing: "No contact of this alias has this address.",
    search: "Find an address",
    find: "Find",
    newTitle: "Write to somebody new",
    email: "Their email address",
    add: "Get a reply address",
    added: (email: string) => `Send your message to ${email}`,
    replyAddress: "Reply address",
    lastReceived: "last message",
    lastSent: "last written to",
    mail: (email: string) => `Mail from ${email}`,
    blocking: {
      none: "is not blocked here",
      reject: "is refused",
      discard: "is discarded silently",
    } satisfies Readonly<Record<Schemas["Blocking"], string>>,
    changed: (email: string, what: string) => `Mail from ${email} ${what}`,
  },

  rules: {
    title: "Rules",
    acceptFrom: "Whose mail this alias accepts",
    accepts: {
      everybody: ["Everybody", ""],
      written_to: [
        "Only people I have written to",
        "Contacts that were written to, or added in order to write to them",
      ],
      listed: ["Only these senders", "And people that were written to"],
    } satisfies Readonly<Record<Schemas["AcceptFrom"], readonly [name: string, explanation: string]>>,
    senders: "Senders",
    sendersHint: (most: number) =>
      `An email address or a domain on each line, ${number(most)} at most. A domain stands for its subdomains too.`,
    tooMany: (most: number) => `There can be ${number(most)} senders at most.`,
    until: "Ends at",
    untilHint: "Then it is switched off. Leave this empty for never.",
    messages: "Messages left",
    messagesHint: "After so many it is switched off. Leave this empty for no limit.",
    untilPast: "This has passed already. To stop mail now, switch the alias off.",
    notSenders: (texts: string) => `Neither an address nor a domain: ${texts}`,
    reset: "Remove all rules",
    refuses: "When you save this, mail from everybody else is refused.",
    refusesThese: (people: readonly string[]) =>
      `Of those who wrote to this alias last, that is ${list(people)}.`,
    refusesNone: "Nobody who wrote to this alias last is among them.",
    ended: "This alias has ended.",
    endedOn:
      "Its end has come, so mail is refused although the alias is switched on. Choose a later end, or none.",
    endedUntil: "Its end has come. If you switch it on, the end is removed.",
    endedMessages:
      "It has received as many messages as it should. If you switch it on, that limit is removed.",
  },

  newAlias: {
    title: "New alias",
    address: "Address",
    formats: {
      random: ["Random letters", "Hard to guess, short"],
      words: ["Words", "Easy to read out"],
      uuid: ["Long and random", "Impossible to guess"],
      own: ["My own", "You choose what is before the @"],
    } satisfies Readonly<Record<string, readonly [name: string, explanation: string]>>,
    domain: "Domain",
    local: "Before the @",
    localHint: "Letters and digits, with single dots, hyphens or underscores between them",
    description: "Description",
    descriptionHint: "So that you know later what it is for",
    website: "Website",
    recipients: "Where its mail is to go",
    create: "Create the alias",
    created: (email: string) => `${email} was created`,
  },

  picker: {
    title: "Recipients",
    add: "Add a recipient",
    added: (email: string, place: number) => `${email} is now number ${number(place)}`,
    search: "Search recipients",
    full: (most: number) => `An alias can have ${number(most)} recipients.`,
    allChosen: "All your recipients are in the list. Under Recipients you can add others.",
    notFound: "No other recipient has such an address.",
    gone: "a recipient that was deleted",
    handle: (email: string, place: number, of: number) =>
      `${email}, ${number(place)} of ${number(of)}: move with the arrow keys`,
    up: (email: string) => `Move ${email} up`,
    down: (email: string) => `Move ${email} down`,
    moved: (email: string, place: number, of: number) => `${email} is now ${number(place)} of ${number(of)}`,
    remove: (email: string) => `Take ${email} out`,
    removed: (email: string) => `${email} was taken out`,
    last: "The last recipient cannot be taken out: mail would have nowhere to go",
    reasons: {
      unknown: "was deleted",
      unverified: "not confirmed yet",
      inactive: "switched off",
    },
    needRecipient:
      "You have no recipient that is confirmed and switched on. Add one first, and open the link that it gets.",
    toRecipients: "Your recipients",
  },

  recipients: {
    title: "Recipients",
    address: "Address of a mailbox of yours",
    whatHappens:
      "Postern sends a link there. Once you have opened it and chosen “Confirm this address”, aliases can forward to it.",
    add: "Add the recipient",
    notAnAddress: "This is not an email address. It must look like name@example.com.",
    taken: "This address is one of your recipients already.",
    ofTheService: "Mail to this address would come back to the service. Use the address of a mailbox.",
    tooManyLinks: "No more than one link a minute, and five a day, are sent to a mailbox.",
    mails: verificationMails,
    confirmed: "This address is confirmed. Aliases can forward to it now.",
    none: "You have no recipient yet",
    noneText: "A recipient is a mailbox of yours that your aliases forward to. Add its address above.",
    states: {
      confirmed: "Confirmed",
      unconfirmed: "Waiting for confirmation",
      off: "Switched off",
    },
    default: "Default for new aliases",
    makeDefault: "Make default",
    madeDefault: (email: string) => `New aliases forward to ${email} unless you choose another recipient`,
    aliases: (count: number) => (count === 0 ? "no alias" : many(count, "alias", "aliases")),
    openLink:
      "Open the link that was sent there, and choose “Confirm this address”. A link is valid for a day.",
    notArrived:
      "The link is still on its way, or could not be delivered. If it is not there in an hour, check the address, and send it again.",
    sendAgain: "Send the link again",
    sendAgainIn: (seconds: number) => `in ${many(seconds, "second", "seconds")}`,
    receives: (email: string) => `Aliases can forward to ${email}`,
    switchedOn: (email: string) => `${email} is switched on`,
    switchedOff: (email: string) => `${email} is switched off`,
    deleteOf: (email: string) => `Delete ${email}`,
    deleted: (email: string) => `${email} was deleted`,
    switchOff: "Switch off",
    retire: {
      off: (email: string) => `Switch off ${email}`,
      delete: (email: string) => `Delete ${email}`,
    },
    means: {
      off: "No alias can forward to it until you switch it on again.",
      delete: "To use it again, you would have to add and confirm it again.",
    },
    attached: (count: number) =>
      count === 1
        ? "1 alias forwards to this recipient. Its mail needs another one first."
        : `${number(count)} aliases forward to this recipient. Their mail needs another one first.`,
    showAliases: (count: number) =>
      count === 1 ? "Show it in the list" : `Show all ${number(count)} in the list`,
    noOther:
      "You have no other recipient that they could forward to. Add and confirm one, or switch it on, and come back.",
    moveTo: "Move them to",
    movingTo: (email: string) => `They are being moved to ${email}.`,
    choose: "Choose a recipient",
    move: "Move",
    stop: "Stop",
    goOn: "Go on",
    progress: "Aliases moved",
    moved: (done: number, total: number) => `${number(done)} of ${number(total)} moved`,
    stopped: "Stopped. What has been moved stays moved.",
    someLeft: "Some aliases could not be moved. Try again.",
    allMoved: "No alias forwards to it any more.",
  },

  blockedSenders: {
    title: "Blocked senders",
    sender: "Address or domain",
    whatIsBlocked:
      "Their mail is refused at all your aliases. A domain, such as shop.example, also stands for its subdomains, such as news.shop.example.",
    block: "Block",
    notASender: "This is neither an address, such as ada@shop.example, nor a domain, such as shop.example.",
    blocked: (sender: string) => `Mail from ${sender} is refused now`,
    linkable:
      "A sender who tries can find out which aliases belong to one person: all of yours refuse their mail, and other people’s do not.",
    discard:
      "Where that matters, open the alias instead and, under Contacts, have their mail discarded without a word.",
    toAliases: "Your aliases",
    none: "You have blocked nobody",
    noneText: "To refuse mail from somebody at all your aliases, enter their address or domain above.",
    withSubdomains: "with all subdomains",
    since: "blocked",
    unblock: "Unblock",
    unblocked: (sender: string) => `${sender} is not blocked any more`,
  },

  webhooks: {
    title: "Webhooks",
    what: "A webhook tells a program of yours, at its web address, when something happens to your aliases or messages.",
    disabled: "This service sends no webhooks. Ask whoever runs it whether that can change.",
    new: "New webhook",
    none: "You have no webhook yet",
    noneText: "You need one only if you have written a program that is to know what happens here.",
    url: "Web address of your program",
    urlHint: "It begins with https:// and can be reached by everybody.",
    urlInvalid:
      "This cannot be used. It must begin with https://, have a domain such as shop.example, no user, password or #, and at most 2,000 characters.",
    about: "Tell it when",
    events: eventTypes,
    told: (events: readonly string[]) => `Told when ${list(events)}`,
    chooseEvent: "Choose at least one.",
    create: "Create",
    created: (url: string) => `The webhook to ${url} was created`,
    secret: "The secret of the new webhook",
    secretText: "With it, your program checks that what it receives is from here. Store it in your program.",
    secretOnce: "It is shown only now, and never again.",
    copySecret: "Copy the secret",
    secretKept: "I have stored it",
    offReasons,
    receives: (url: string) => `${url} is told`,
    switchedOn: (url: string) => `${url} is switched on`,
    switchedOff: (url: string) => `${url} is switched off`,
    test: "Test",
    waiting: "Waiting for its answer…",
    delivered: "The test has arrived.",
    notDelivered: "The test did not arrive:",
    change: "Change",
    changeTitle: "Change the webhook",
    storedNow: "This is what is stored now:",
    deleteOf: (url: string) => `Delete ${url}`,
    deleteTitle: "Delete the webhook",
    deleteText: "Nothing is sent there any more. Its secret is of no use to another webhook.",
    deleted: (url: string) => `The webhook to ${url} was deleted`,
  },

  keys: {
    title: "Keys",
    new: "New key",
    about:
      "With a key, a program uses your account without your password: a password manager, for example, makes aliases with it.",
    usedAt: "Programs use keys at",
    unavailable: "On this service, programs cannot use keys. Ask whoever runs it.",
    none: "You have no key yet",
    noneText:
      "With a key, a program uses your account without your password: a password manager such as Bitwarden, for example, makes an alias for each website.",
    can: (scopes: readonly string[]) => `Can ${list(scopes)}`,
    scopes: {
      "aliases:create": "make aliases",
      "aliases:read": "see your aliases",
      "aliases:write": "change and delete your aliases",
      "recipients:read": "see your recipients",
      "messages:read": "see what became of your messages",
    } satisfies Readonly<Record<Schemas["Scope"], string>>,
    unused: "Never used",
    lastUsed: "Last used:",
    clients: {
      browser_extension: "by a browser extension",
      browser: "by a web page",
      mobile_app: "by an app on a phone",
      desktop_app: "by an app on a computer",
      program: "by a program",
    } satisfies Readonly<Record<Schemas["ClientKind"], string>>,
    worksUntil: (day: string) => `Works until ${day}`,
    expired: (day: string) => `Expired on ${day}`,
    onDomain: (domain: string) => `Makes aliases at ${domain}`,
    forwardsTo: (recipients: readonly string[]) => `Its aliases forward to ${list(recipients)}`,
    goneRecipient: "a recipient that was deleted",
    deleteOf: (name: string) => `Delete the key ${name}`,
    deleteTitle: (name: string) => `Delete the key “${name}”?`,
    deleteText:
      "Programs that use it stop working within 10 seconds, and nothing brings it back. Aliases that they have made stay.",
    deleted: (name: string) => `The key ${name} is deleted`,

    name: "Name",
    nameHint: "You will know the key by it, such as “Bitwarden on my phone”.",
    nameMissing: "Give the key a name.",
    use: "What is it for?",
    uses: {
      passwordManager: "A password manager",
      extension: "The browser extension of SimpleLogin or addy.io",
      program: "Another program",
    },
    useTexts: {
      passwordManager: "Such as Bitwarden. It can make aliases, and see nothing that you have.",
      extension: "It can see, make, change and delete your aliases, and see your recipients.",
      program: "You choose what it may do.",
    },
    may: "The program may",
    scopesMissing: "Choose at least one thing that the program may do.",
    expires: "Works until (optional)",
    expiresHint: "If you choose no day, it works until you delete it.",
    expiresPast: "Choose a day that is not over yet.",
    domain: "Its aliases are at",
    recipients: "Its aliases forward to",
    defaultRecipient: (email: string) => `If you choose none: to ${email}, your default recipient.`,
    noRecipient:
      "You have no confirmed recipient yet. The program can make aliases only when you have one. Go to:",
    tooManyRecipients: (limit: number) => `Choose at most ${number(limit)} recipients.`,
    create: "Create the key",

    lost: "The answer was lost, so it is not certain whether the key was made.",
    lostFound: (name: string) =>
      `The answer was lost. The key “${name}” was made, but nobody can know it. Delete it, then create another one.`,
    lostAbsent: "The answer was lost, but the key was not made. You can try again.",
    lostDeleted: "That key is deleted. You can create another one now.",
    deleteMade: (time: string) => `Delete the key that was made on ${time}`,

    created: "Your new key",
    once: "Copy the key now: it is never shown again.",
    onceText: "Paste it into the program and nowhere else: whoever has it can use it.",
    program: "Which program is it for?",
    programs: {
      bitwarden: "Bitwarden",
      bitwardenDomain: "Bitwarden, as Addy.io",
      keyguard: "Keyguard",
      simpleLogin: "SimpleLogin’s browser extension",
      addy: "addy.io’s browser extension",
      other: "Another program",
    },
    programTexts: {
      bitwarden:
        "In Bitwarden, open the generator and choose “Username”, then “Forwarded email alias”, then the service “SimpleLogin”. The server address goes into “Self-host server URL”. You need no account at SimpleLogin.",
      bitwardenDomain:
        "In Bitwarden, open the generator and choose “Username”, then “Forwarded email alias”, then the service “Addy.io”. The server address goes into “Self-host server URL”. You need no account at addy.io.",
      keyguard: "In Keyguard, add an email forwarder and choose “addy.io”. You need no account at addy.io.",
      simpleLogin:
        "In the settings of the extension, paste the server address. Then choose “Sign in with API Key”, and paste the key.",
      addy: "In the extension, choose to use another instance, and paste the server address. Then choose “Login using API Key instead”, and paste the key.",
      other: "Paste the key and the server address where the program asks for them.",
    },
    key: "API key",
    copyKey: "Copy the key",
    values: { address: "Server address", domain: "Domain" },
    copyValue: { address: "Copy the address", domain: "Copy the domain" },
    stored: "Done, the program has it",
    leaving: "The key is never shown again. Does the program have it?",
    leave: "Close anyway",
    stay: "Show it",
  },

  settings: {
    title: "Settings",
    signedInAs: "You are signed in as",
    signOutText:
      "Signing out does so in all tabs of this browser. What you typed there and did not save is forgotten.",
    theme: "Appearance",
    themes: { system: "As on this device", light: "Light", dark: "Dark" },
    language: "The language is the one that your browser prefers.",
    usage: "What you have",
    used: (count: string, limit: number | null) =>
      limit === null ? `${count}, without a limit` : `${count} of ${number(limit)}`,
    orMore: (count: number) => `${number(count)} or more`,
    count: "Count",
    counting: "Counting…",
    otherLimits: "Other limits",
    noLimit: "no limit",
    limits: {
      aliases: "Aliases, deleted ones included",
      recipients: "Recipients",
      unverified_recipients: "Recipients that are not confirmed",
      blocked_senders: "Blocked senders",
      keys: "Keys",
      webhooks: "Webhooks",
      requests_per_minute: "Requests to the service a minute",
      creations_per_minute: "New aliases, recipients and other things a minute",
      verification_messages_per_day: "Messages to confirm recipients a day",
      contacts_per_alias: "Contacts of one alias",
      logged_messages: "Messages listed, of all aliases together",
      logged_messages_per_alias: "Messages listed, of one alias",
    } satisfies Readonly<Record<keyof Schemas["Service"]["limits"], string>>,
    data: "Your data",
    dataText:
      "A file with your aliases, their rules and contacts, your recipients, blocked senders, webhooks and keys, for you and for other programs (JSON). It contains no message and no secret.",
    prepare: "Make the file",
    prepareAgain: "Make it again",
    reading: "Your lists are being read…",
    progress: (done: number, of: number) => `${number(done)} of ${many(of, "alias", "aliases")}`,
    goesOn: "You can use the app meanwhile. Keep this tab open.",
    waiting: "The service does not answer, or asks to wait. This goes on by itself.",
    ready: (aliases: number) => `The file is ready, with ${many(aliases, "alias", "aliases")}.`,
    saveFile: "Save the file",
  },
};

/** Everything that the app says, in one language. */
export type Words = typeof english;
