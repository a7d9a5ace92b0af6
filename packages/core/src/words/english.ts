import type { Words } from "./words.ts";

const BROKEN_LINK = "This link does not work";

export const english: Words = {
  page: {
    confirm: {
      title: "Confirm your address",
      text: (service) =>
        `Someone, probably you, asked ${service} to forward mail to the address that received this link.`,
      button: "Confirm this address",
      otherwise:
        "If it was not you, close this page. Nothing is forwarded to you unless you confirm. You can also stop these messages for good, whoever requests them.",
    },
    confirmed: {
      title: "Your address is confirmed",
      text: "Mail can now be forwarded to it. There is nothing else to do, so you can close this page.",
    },
    suppress: "Never write to me again",
    suppressed: {
      title: "You will get no more messages",
      text: (service) =>
        `${service} will never again ask this address for confirmation, whoever requests it. If you have confirmed the address before, mail is still forwarded to it.`,
    },
    incomplete: {
      title: BROKEN_LINK,
      text: (service) =>
        `It is incomplete, or it is not from ${service}. Open the link in the message again.`,
    },
    outdated: {
      title: BROKEN_LINK,
      text: (service) =>
        `It may have expired, or a newer link has replaced it. Open the link in the most recent message from ${service}, or request a new one.`,
      otherwise: "If you never asked for it, you can stop these messages for good, whoever requests them.",
    },
    unavailable: {
      title: "Please try again",
      text: "That could not be done just now. Reload this page in a minute.",
    },
  },
  home: {
    title: "Email aliases",
    text: (service) =>
      `${service} forwards mail for an alias to the mailboxes behind it, without revealing them to the sender.`,
    visitors:
      "This address is for programs that manage aliases, and for the links in messages. There is nothing else to see here.",
    document: "What programs can do here (OpenAPI)",
  },
  message: {
    subject: (service) => `Confirm that ${service} may forward mail to this address`,
    request: (service) => `Someone, probably you, asked ${service} to forward mail to this address.`,
    openLink: "If you want this, open the link below and press the button on the page:",
    button: "Confirm this address",
    noButton: "If the button does not work, open this link:",
    lifetime: (hours) => `The link works for ${hours === 1 ? "an hour" : `${hours} hours`}.`,
    ignored:
      "If this was not you, ignore this message. No mail is forwarded to this address unless you confirm.",
    neverAgain:
      "To get no more messages like this one, open the link: the page has a button for that too. Opening the link does not confirm anything.",
  },
  ended: {
    subject: (alias) => `Switched off: ${alias}`,
    alias: "The alias",
    stopped: "which forwards to this mailbox, no longer accepts mail.",
    timeOver: "It was set to accept mail until a certain time, which has passed.",
    lastArrived: "It was set to accept a certain number of messages, and the last of them has arrived.",
    again: "Its owner can switch it on again.",
    automatic: "This message was sent automatically.",
  },
};
