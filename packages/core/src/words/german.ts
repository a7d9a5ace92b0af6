import type { Words } from "./words.ts";

const BROKEN_LINK = "Dieser Link funktioniert nicht";

/** Polite form. The name of the service stands where neither its gender nor its number matters. */
export const german: Words = {
  page: {
    confirm: {
      title: "Bestätigen Sie Ihre Adresse",
      text: (service) =>
        `Jemand, vermutlich Sie selbst, möchte über ${service} E-Mails an die Adresse weiterleiten lassen, die diesen Link erhalten hat.`,
      button: "Diese Adresse bestätigen",
      otherwise:
        "Falls Sie das nicht waren, schließen Sie diese Seite. Ohne Ihre Bestätigung wird nichts an Sie weitergeleitet. Sie können solche Nachrichten auch endgültig abbestellen, ganz gleich, wer sie veranlasst.",
    },
    confirmed: {
      title: "Ihre Adresse ist bestätigt",
      text: "E-Mails können nun an sie weitergeleitet werden. Sie müssen nichts weiter tun und können diese Seite schließen.",
    },
    suppress: "Mir nie wieder schreiben",
    suppressed: {
      title: "Sie erhalten keine weiteren Nachrichten",
      text: (service) =>
        `Von ${service} erhält diese Adresse nie wieder eine Bitte um Bestätigung, ganz gleich, wer sie veranlasst. Falls Sie die Adresse schon früher bestätigt haben, werden E-Mails auch künftig an sie weitergeleitet.`,
    },
    incomplete: {
      title: BROKEN_LINK,
      text: (service) =>
        `Er ist unvollständig oder stammt nicht von ${service}. Öffnen Sie den Link in der Nachricht noch einmal.`,
    },
    outdated: {
      title: BROKEN_LINK,
      text: (service) =>
        `Möglicherweise ist er abgelaufen oder wurde durch einen neueren ersetzt. Öffnen Sie den Link in der neuesten Nachricht von ${service}, oder fordern Sie einen neuen an.`,
      otherwise:
        "Falls Sie nie einen angefordert haben, können Sie solche Nachrichten endgültig abbestellen, ganz gleich, wer sie veranlasst.",
    },
    unavailable: {
      title: "Bitte versuchen Sie es noch einmal",
      text: "Das ist gerade nicht gelungen. Laden Sie diese Seite in einer Minute neu.",
    },
  },
  home: {
    title: "E-Mail-Aliasse",
    text: (service) =>
      `Über ${service} werden E-Mails an einen Alias an die Postfächer dahinter weitergeleitet, ohne dem Absender zu verraten, welche das sind.`,
    visitors:
      "Diese Adresse ist für Programme gedacht, die Aliasse verwalten, und für die Links in Nachrichten. Sonst gibt es hier nichts zu sehen.",
    document: "Was Programme hier tun können (OpenAPI)",
  },
  message: {
    subject: (service) => `Bitte bestätigen Sie die E-Mail-Weiterleitung über ${service}`,
    request: (service) =>
      `Jemand, vermutlich Sie selbst, möchte über ${service} E-Mails an diese Adresse weiterleiten lassen.`,
    openLink:
      "Wenn Sie damit einverstanden sind, öffnen Sie den folgenden Link und bestätigen Sie Ihre Adresse auf der Seite, die dann erscheint:",
    button: "Diese Adresse bestätigen",
    noButton: "Falls die Schaltfläche nicht funktioniert, öffnen Sie diesen Link:",
    lifetime: (hours) => `Der Link ist ${hours === 1 ? "eine Stunde" : `${hours} Stunden`} lang gültig.`,
    ignored:
      "Falls Sie das nicht waren, ignorieren Sie diese Nachricht. Ohne Ihre Bestätigung werden keine E-Mails an diese Adresse weitergeleitet.",
    neverAgain:
      "Wenn Sie solche Nachrichten nie wieder erhalten möchten, öffnen Sie den Link: Auf der Seite können Sie sie auch endgültig abbestellen. Das Öffnen allein bestätigt nichts.",
  },
  ended: {
    subject: (alias) => `Abgeschaltet: ${alias}`,
    alias: "Der Alias",
    stopped: "der an dieses Postfach weiterleitet, nimmt keine E-Mails mehr an.",
    timeOver: "Er sollte nur bis zu einem bestimmten Zeitpunkt E-Mails annehmen, und dieser ist verstrichen.",
    lastArrived:
      "Er sollte nur eine bestimmte Anzahl von Nachrichten annehmen, und die letzte davon ist eingetroffen.",
    again: "Wem der Alias gehört, der kann ihn wieder einschalten.",
    automatic: "Diese Nachricht wurde automatisch verschickt.",
  },
};
