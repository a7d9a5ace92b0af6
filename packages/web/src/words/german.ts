import type { RefusalCode } from "@postern/sign-in";
import { list, many, number } from "../format.ts";
import type { ProblemWords, Words } from "./english.ts";

const problems: ProblemWords = {
  account_not_allowed:
    "Du bist angemeldet, aber dieser Dienst ist für dich nicht freigegeben. Frag den Betreiber.",
  account_suspended:
    "Dein Konto ist gesperrt. Du kannst alles ansehen, aber nichts ändern. Frag den Betreiber.",
  address_not_allowed:
    "Diese Adresse geht nicht. Adressen des Dienstes selbst und manche Namen sind reserviert.",
  address_taken: "Diese Adresse ist schon vergeben. Wähle eine andere.",
  alias_deleted: "Dieser Alias ist gelöscht. Stelle ihn zuerst wieder her.",
  alias_inactive: "Dieser Alias ist ausgeschaltet. Schalte ihn zuerst ein.",
  alias_not_found: "Diesen Alias gibt es nicht. Vielleicht wurde er endgültig entfernt.",
  api_keys_disabled: "Dieser Dienst vergibt keine Schlüssel. Frag den Betreiber.",
  contact_not_found: "Diesen Kontakt gibt es nicht mehr.",
  headers_too_large: "Die Anfrage war zu groß. Melde dich ab und wieder an.",
  idempotency_key_reused:
    "Mit diesem Formular wurde schon etwas anderes angelegt. Sieh in der Liste nach und versuche es dann noch einmal.",
  insufficient_scope: "Mit dieser Anmeldung geht das nicht.",
  internal_error: "Im Dienst ist ein Fehler aufgetreten. Versuche es später noch einmal.",
  invalid_request: ({ errors }) => `Etwas ist ungültig: ${list(errors.map(({ reason }) => reason))}.`,
  link_invalid: "Dieser Link gilt nicht mehr.",
  mailbox_suppressed:
    "Wem dieses Postfach gehört, möchte nicht mehr gefragt werden. Es kann kein Empfänger sein.",
  malformed_json: "Der Dienst hat die App nicht verstanden. Lade die Seite neu.",
  message_not_found: "Diese Nachricht ist älter als 30 Tage oder wird nicht mehr aufbewahrt.",
  message_not_kept:
    "Der Inhalt dieser Nachricht wird nicht mehr aufbewahrt. Sie kann nicht noch einmal gesendet werden.",
  misconfigured: "Der Dienst ist nicht richtig eingerichtet. Frag den Betreiber.",
  payload_too_large: "Das ist zu lang. Kürze es.",
  precondition_failed:
    "Inzwischen hat das jemand geändert, vielleicht du in einem anderen Tab. Der neue Stand ist geladen.",
  rate_limited: "Das war zu viel auf einmal.",
  recipient_attached: ({ alias_count }) =>
    `${many(alias_count, "Alias leitet", "Aliase leiten")} noch an diesen Empfänger weiter. Stelle sie zuerst auf einen anderen um.`,
  recipient_not_found: "Diesen Empfänger gibt es nicht. Vielleicht wurde er gelöscht.",
  recipients_ineligible:
    "Nicht alle diese Empfänger gehen: Einer ist nicht bestätigt, ausgeschaltet oder gelöscht.",
  request_timeout: "Die Anfrage hat zu lange gebraucht. Versuche es noch einmal.",
  too_many_aliases: ({ limit }) => `Du hast so viele Aliase, wie du haben kannst: ${number(limit)}.`,
  too_many_api_keys: ({ limit }) =>
    `Du hast so viele Schlüssel, wie du haben kannst: ${number(limit)}. Lösche zuerst einen.`,
  too_many_blocked_senders: ({ limit }) =>
    `Du hast so viele Absender gesperrt, wie du kannst: ${number(limit)}.`,
  too_many_contacts: ({ limit }) =>
    `Dieser Alias hat so viele Kontakte, wie er haben kann: ${number(limit)}.`,
  too_many_creations: "Das war viel Neues auf einmal.",
  too_many_recipients: ({ limit }) => `Du hast so viele Empfänger, wie du haben kannst: ${number(limit)}.`,
  too_many_unverified_recipients: ({ limit }) =>
    `${many(limit, "Empfänger ist", "Empfänger sind")} noch nicht bestätigt. Bestätige oder lösche zuerst einen.`,
  too_many_webhooks: ({ limit }) =>
    `Du hast so viele Webhooks, wie du haben kannst: ${number(limit)}. Lösche zuerst einen.`,
  unauthorized: "Du bist nicht mehr angemeldet, oder der Anmeldedienst ist nicht erreichbar.",
  unavailable: "Der Dienst kann das gerade nicht. Versuche es noch einmal.",
  unreachable: ({ reason }) =>
    ({
      network: "Es gibt keine Verbindung zum Dienst. Prüfe dein Netz.",
      timeout:
        "Der Dienst hat nicht rechtzeitig geantwortet. Sieh nach, ob es geklappt hat, bevor du es noch einmal versuchst.",
      aborted: "Das wurde abgebrochen.",
      redirect: "Die Adresse des Dienstes hat sich geändert. Frag den Betreiber.",
      not_the_api: "Etwas anderes als der Dienst hat geantwortet, vielleicht die Anmeldeseite eines WLANs.",
    })[reason],
  unsupported_media_type: "Der Dienst hat die App nicht verstanden. Lade die Seite neu.",
  webhook_not_found: "Diesen Webhook gibt es nicht. Vielleicht wurde er gelöscht.",
  webhooks_disabled: "Dieser Dienst sendet keine Webhooks.",
};

const refusals: Readonly<Record<RefusalCode, string>> = {
  wrong_credentials: "Der Name oder das Passwort ist falsch.",
  wrong_code: "Dieser Code ist falsch oder schon benutzt. Warte auf den nächsten.",
  expired: "Das hat zu lange gedauert. Fang noch einmal an.",
  password_refused:
    "Dieses Passwort ist nicht erlaubt. Wähle ein längeres mit Buchstaben, Ziffern und Zeichen.",
  password_reset_required:
    "Dein Passwort wurde zurückgesetzt. Wähle „Passwort vergessen?“ und setze ein neues.",
  temporary_password_expired: "Dein vorläufiges Passwort ist abgelaufen. Bitte den Betreiber um ein neues.",
  not_confirmed:
    "Dein Konto ist noch nicht bestätigt. Öffne den Link in der Nachricht, die du bekommen hast.",
  too_many_attempts: "Zu viele Versuche. Warte einige Minuten.",
  signed_out: "Du wurdest abgemeldet.",
  denied: "Du kannst nicht angemeldet werden. Frag den Betreiber.",
  invalid_input: "Etwas fehlt.",
  misconfigured: "Die Anmeldung ist nicht richtig eingerichtet. Frag den Betreiber.",
  not_supported: "Diese Seite muss über https:// geöffnet werden.",
  untrusted:
    "Mit der Antwort des Anmeldedienstes stimmte etwas nicht, darum wurde sie nicht verwendet. Fang noch einmal an.",
  unreachable: "Der Anmeldedienst ist nicht erreichbar. Versuche es später noch einmal.",
  aborted: "Das wurde abgebrochen.",
};

const verificationMails: Words["recipients"]["mails"] = {
  sent: "Ein Link wurde dorthin gesendet. Öffne ihn und wähle „Diese Adresse bestätigen“.",
  queued: "Ein Link ist dorthin unterwegs. Öffne ihn, wenn er da ist, und wähle „Diese Adresse bestätigen“.",
  not_sent:
    "Der Link konnte nicht gesendet werden. Wenn die Adresse stimmt, sende den Link später noch einmal.",
  not_needed: "Diese Adresse ist schon bestätigt.",
};

const eventTypes: Words["webhooks"]["events"] = {
  "alias.created": "ein Alias angelegt wird",
  "alias.updated": "ein Alias geändert wird",
  "alias.deleted": "ein Alias gelöscht wird",
  "message.blocked": "eine Nachricht an einem Alias abgelehnt wird",
  "message.queued": "eine Nachricht darauf wartet, weitergeleitet zu werden",
  "message.sent": "eine Nachricht weitergeleitet wurde",
  "message.failed": "eine Nachricht nicht weitergeleitet werden konnte",
};

const offReasons: Words["webhooks"]["offReasons"] = {
  owner: "Du hast ihn ausgeschaltet.",
  failing:
    "Ausgeschaltet, weil dein Programm drei Tage lang nicht erreichbar war. Teste ihn und schalte ihn wieder ein.",
  gone: "Ausgeschaltet, weil dein Programm geantwortet hat, dass es weg ist (410). Teste ihn und schalte ihn wieder ein.",
};

export const german: Words = {
  problems,
  unknownProblem: (title) => `Der Dienst lehnt das ab: ${title}.`,
  refusals,
  copyStates: {
    queued: "wartet auf das Senden",
    sent: "gesendet",
    delivered: "zugestellt",
    bounced: "vom Postfach abgelehnt",
    expired: "nach fünf Tagen aufgegeben",
    dropped: "nicht gesendet",
  },

  common: {
    cancel: "Abbrechen",
    close: "Schließen",
    copied: "Kopiert",
    copy: "Kopieren",
    copyOf: (text) => `${text} kopieren`,
    notCopied: "Dein Browser erlaubt hier kein Kopieren",
    delete: "Löschen",
    loading: "Wird geladen…",
    more: "Mehr laden",
    optional: "freiwillig",
    requestId: (id) => `Für den Betreiber: Anfrage ${id}`,
    save: "Speichern",
    saved: "Gespeichert",
    tryAgain: "Noch einmal",
    waitSeconds: (seconds) => `Versuche es in ${many(seconds, "Sekunde", "Sekunden")} noch einmal.`,
    waitUntil: (time) => `Versuche es nach dem ${time} noch einmal.`,
  },

  shell: {
    navigation: "Bereiche",
    menu: "Menü",
    skip: "Zum Inhalt",
    offline: "Du bist offline. Was du siehst, kann alt sein, und was du tippst, bleibt hier.",
    notFound: "Diese Seite gibt es nicht",
    notFoundText: "Vielleicht ist der Link unvollständig.",
    home: "Deine Aliase",
    settingsFault: "Diese App ist nicht richtig eingerichtet. Der Betreiber muss das beheben:",
    failed: "Dieser Teil der App kann nicht geladen werden. Vielleicht wurde sie inzwischen erneuert.",
    reload: "Seite neu laden",
    sections: {
      aliases: "Aliase",
      recipients: "Empfänger",
      blockedSenders: "Gesperrte Absender",
      webhooks: "Webhooks",
      keys: "Schlüssel",
      settings: "Einstellungen",
    },
  },

  signIn: {
    title: "Anmelden",
    again: "Noch einmal anmelden",
    ended: "Deine Sitzung ist zu Ende. Melde dich an, um weiterzumachen: Was du getippt hast, ist noch da.",
    name: "E-Mail-Adresse oder Benutzername",
    password: "Passwort",
    submit: "Anmelden",
    forgot: "Passwort vergessen?",
    page: "Mit deinem Konto anmelden",
    or: "oder",
    back: "Zurück zur Anmeldung",
    newPassword: "Wähle ein Passwort",
    newPasswordText: "Dein Passwort war nur vorläufig. Wähle ein eigenes.",
    newPasswordLabel: "Neues Passwort",
    setPassword: "Passwort setzen",
    code: "Code aus deiner Authenticator-App",
    codeTitle: "Noch ein Schritt",
    continue: "Weiter",
    reset: "Passwort zurücksetzen",
    resetText: "Du bekommst einen Code, mit dem du ein neues Passwort wählen kannst.",
    sendCode: "Code senden",
    resetCode: "Der Code, den du bekommen hast",
    codeSentTo: (destination) =>
      destination === ""
        ? "Wenn es ein solches Konto gibt, wurde ein Code gesendet."
        : `Ein Code wurde an ${destination} gesendet.`,
    passwordChanged: "Dein Passwort wurde geändert. Melde dich damit an.",
    otherChallenge: (name) => `Dein Konto verlangt eine Anmeldung, die diese App nicht kann (${name}).`,
    signOut: "Abmelden",
    attributes: {
      "userAttributes.name": "Name",
      "userAttributes.email": "E-Mail-Adresse",
      "userAttributes.given_name": "Vorname",
      "userAttributes.family_name": "Nachname",
      "userAttributes.phone_number": "Telefonnummer",
    },
  },

  aliases: {
    new: "Neuer Alias",
    search: "Suche",
    searchHint: "Adresse oder Beschreibung",
    show: "Zeige",
    all: "Alle",
    on: "An",
    off: "Aus",
    deleted: "Gelöscht",
    recipient: "Empfänger",
    anyRecipient: "Alle Empfänger",
    forwards: (email) => `${email} leitet weiter`,
    switchedOn: (email) => `${email} ist eingeschaltet`,
    switchedOff: (email) => `${email} ist ausgeschaltet`,
    to: (destinations) => `an ${list(destinations)}`,
    counts: (delivered, blocked) =>
      blocked === 0
        ? `${number(delivered)} weitergeleitet`
        : `${number(delivered)} weitergeleitet, ${number(blocked)} abgelehnt`,
    noRecipient: "Sag zuerst, wohin deine Post soll",
    noRecipientText:
      "Füge die Adresse eines Postfachs von dir hinzu. Postern sendet einen Link dorthin und leitet Post weiter, sobald du ihn geöffnet hast.",
    addRecipient: "Empfänger hinzufügen",
    unconfirmed: "Noch ein Schritt: Bestätige deine Adresse",
    unconfirmedText: (email) =>
      `Ein Link wurde an ${email} gesendet. Öffne ihn und wähle „Diese Adresse bestätigen“.`,
    toRecipients: "Deine Empfänger",
    none: "Du hast noch keinen Alias",
    noneText:
      "Ein Alias ist eine Adresse, die du weitergeben kannst: Post an ihn kommt in dein Postfach, und du kannst ihn ausschalten.",
    nothing: "Nichts gefunden",
    nothingText: "Kein Alias passt zu dem, was du suchst.",
    showAll: "Alle Aliase zeigen",
  },

  alias: {
    title: "Alias",
    tabs: "Teile dieses Alias",
    messages: "Nachrichten",
    contacts: "Kontakte",
    rules: "Regeln",
    forwards: (email) => `${email} leitet weiter`,
    isOn: "An: Post wird weitergeleitet",
    isOff: "Aus: Post wird abgelehnt",
    description: "Beschreibung",
    describe: "Beschreibung hinzufügen",
    changeDescription: "Beschreibung ändern",
    website: "Website",
    websiteHint: "Die Website, der du diesen Alias gegeben hast. Du kannst danach suchen.",
    addWebsite: "Website hinzufügen",
    changeWebsite: "Ändern",
    changedMeanwhile: "Inzwischen wurde das anderswo geändert. Jetzt ist es:",
    forwardsTo: "Leitet weiter an",
    formerly: "Leitete weiter an",
    changeRecipients: "Empfänger ändern",
    saveMine: "Meine speichern",
    takeTheirs: "Das behalten",
    created: (when) => `Angelegt ${when}`,
    countersOf: (forwarded, blocked, replied) =>
      `${number(forwarded)} weitergeleitet, ${number(replied)} gesendet, ${number(blocked)} abgelehnt`,
    lastTime: "zuletzt",
    counters: {
      sent: ["Weitergeleitet", "Kopien, die den Mailservern deiner Empfänger übergeben wurden."],
      delivered: ["Zugestellt", "Kopien, die sicher angekommen sind. Nicht jeder Mailserver meldet das."],
      bounced: [
        "Vom Postfach abgelehnt",
        "Kopien, die der Mailserver eines Empfängers abgelehnt hat, sofort oder später.",
      ],
      complaint: [
        "Als Spam markiert",
        "Kopien, die jemand im Postfach eines Empfängers als Spam markiert hat.",
      ],
      replied: [
        "Von hier gesendet",
        "Nachrichten, die deine Empfänger über diesen Alias an jemanden gesendet haben.",
      ],
      blocked: [
        "Abgelehnt",
        "Nachrichten, die nicht weitergeleitet wurden: wegen einer Regel, eines gesperrten Absenders, oder weil der Alias aus war.",
      ],
    },
    delete: "Diesen Alias löschen",
    deleteTitle: "Diesen Alias löschen?",
    deleteText:
      "Post an ihn wird dann abgelehnt. Niemand sonst bekommt je die Adresse, und du kannst ihn wiederherstellen.",
    wasDeleted: (when) => `Dieser Alias wurde ${when} gelöscht. Post an ihn wird abgelehnt.`,
    deletedNow: "Der Alias ist gelöscht",
    restore: "Wiederherstellen",
    restoredNow: "Der Alias ist wiederhergestellt",
    restoreWith: "Nicht alle seine früheren Empfänger sind noch möglich. Wähle, wohin seine Post soll.",
  },

  messages: {
    title: "Nachrichten",
    from: "Von",
    to: "An",
    unknown: "unbekanntem Absender",
    none: "Noch keine Nachricht",
    noneText: "Hier stehen die Nachrichten an diesen Alias und die, die von ihm gesendet wurden.",
    kept: "Nachrichten stehen hier 30 Tage lang.",
    times: (count) => `${number(count)} solche Nachrichten in einer Minute`,
    blocked: "Nicht weitergeleitet",
    unsubscribed: "Du hast dich von dieser Liste abgemeldet.",
    actions: "Was du tun kannst",
    sendAgain: "Noch einmal senden",
    sendAgainUntil: (when) => `Möglich bis ${when}`,
    sentAgain: "Sie wird in einigen Sekunden noch einmal gesendet",
    blockHere: "Diesen Absender an diesem Alias sperren",
    blockEverywhere: "Diesen Absender überall sperren",
    cannotBlock: "Dieser Absender ist kein Kontakt des Alias und kann hier nicht gesperrt werden.",
    blockedNow: (email) => `${email} ist gesperrt`,
    blockHereText: (email) => `Was soll mit Post von ${email} an diesen Alias geschehen?`,
    refuse: "Ablehnen: Der Absender erfährt es",
    discard: "Verwerfen: Der Absender erfährt es nicht",
    block: "Sperren",
    blockEverywhereText: (email) =>
      `Post von ${email} wird an allen deinen Aliasen abgelehnt. Wer mehrere ausprobiert, kann herausfinden, dass sie einer Person gehören.`,
    discardInstead:
      "Wenn das wichtig ist, verwirf die Post stattdessen: Der Absender erfährt es nicht. Das gilt nur für diesen Alias.",
    discardHere: "An diesem Alias verwerfen",
    reasons: {
      sender_not_authentic:
        "Die Nachricht ist nicht von der Domain, die sie als Absender nennt, und diese will, dass solche Nachrichten abgelehnt werden.",
      contact_blocked: "Du hast diesen Absender an diesem Alias gesperrt.",
      sender_blocked: "Du hast diesen Absender überall gesperrt.",
      not_written_to: "Dieser Alias nimmt nur Post von Leuten an, denen du geschrieben hast.",
      not_listed: "Dieser Alias nimmt nur Post von den Absendern in seinen Regeln an.",
      alias_inactive: "Der Alias war aus oder zu Ende.",
      account_suspended: "Dein Konto war gesperrt.",
    },
    failures: {
      mailbox_unknown: "das Postfach gibt es nicht",
      mailbox_full: "das Postfach ist voll",
      mailbox_disabled: "das Postfach ist stillgelegt",
      message_too_large: "die Nachricht ist zu groß für das Postfach",
      refused_by_policy: "der Mailserver lehnt solche Nachrichten ab, vielleicht als Spam",
      unreachable: "der Mailserver war nicht erreichbar",
      relay_unavailable: "dieser Dienst konnte gerade nicht senden",
      other: "der Mailserver nannte einen anderen Grund",
    },
  },

  contacts: {
    title: "Kontakte",
    explanation:
      "Wer an diesen Alias schreibt oder in einer Nachricht an ihn genannt wird, ist ein Kontakt. Um einem Kontakt zu schreiben, sende eine Nachricht von einem deiner Postfächer an seine Antwortadresse: Sie kommt vom Alias.",
    ofDeleted:
      "Das waren die Kontakte dieses Alias. Bis du ihn wiederherstellst, kann niemandem von ihm geschrieben werden.",
    none: "Noch kein Kontakt",
    nothing: "Kein Kontakt dieses Alias hat diese Adresse.",
    search: "Adresse finden",
    find: "Finden",
    newTitle: "Jemandem zum ersten Mal schreiben",
    email: "E-Mail-Adresse dieser Person",
    add: "Antwortadresse holen",
    added: (email) => `Sende deine Nachricht an ${email}`,
    replyAddress: "Antwortadresse",
    lastReceived: "letzte Nachricht",
    lastSent: "zuletzt angeschrieben",
    mail: (email) => `Post von ${email}`,
    blocking: {
      none: "ist hier nicht gesperrt",
      reject: "wird abgelehnt",
      discard: "wird stillschweigend verworfen",
    },
    changed: (email, what) => `Post von ${email} ${what}`,
  },

  rules: {
    title: "Regeln",
    acceptFrom: "Wessen Post dieser Alias annimmt",
    accepts: {
      everybody: ["Von allen", ""],
      written_to: [
        "Nur von Leuten, denen ich geschrieben habe",
        "Kontakte, denen geschrieben wurde oder die dafür hinzugefügt wurden",
      ],
      listed: ["Nur von diesen Absendern", "Und von Leuten, denen geschrieben wurde"],
    },
    senders: "Absender",
    sendersHint: (most) =>
      `Je Zeile eine E-Mail-Adresse oder Domain, höchstens ${number(most)}. Eine Domain steht auch für ihre Subdomains.`,
    tooMany: (most) => `Es können höchstens ${number(most)} Absender sein.`,
    until: "Endet am",
    untilHint: "Dann wird er ausgeschaltet. Lass das leer für nie.",
    messages: "Nachrichten übrig",
    messagesHint: "Nach so vielen wird er ausgeschaltet. Lass das leer für unbegrenzt.",
    untilPast: "Das ist schon vorbei. Um Post sofort abzulehnen, schalte den Alias aus.",
    notSenders: (texts) => `Weder eine Adresse noch eine Domain: ${texts}`,
    reset: "Alle Regeln entfernen",
    refuses: "Wenn du das speicherst, wird Post von allen anderen abgelehnt.",
    refusesThese: (people) =>
      `Von denen, die zuletzt an diesen Alias geschrieben haben, sind das ${list(people)}.`,
    refusesNone: "Niemand, der zuletzt an diesen Alias geschrieben hat, ist darunter.",
    ended: "Dieser Alias ist zu Ende.",
    endedOn:
      "Sein Ende ist erreicht, daher wird Post abgelehnt, obwohl er eingeschaltet ist. Wähle ein späteres Ende oder keines.",
    endedUntil: "Sein Ende ist erreicht. Wenn du ihn einschaltest, wird das Ende entfernt.",
    endedMessages:
      "Er hat so viele Nachrichten bekommen, wie er sollte. Wenn du ihn einschaltest, wird diese Grenze entfernt.",
  },

  newAlias: {
    title: "Neuer Alias",
    address: "Adresse",
    formats: {
      random: ["Zufällige Zeichen", "Schwer zu erraten, kurz"],
      words: ["Wörter", "Leicht vorzulesen"],
      uuid: ["Lang und zufällig", "Unmöglich zu erraten"],
      own: ["Eine eigene", "Du wählst, was vor dem @ steht"],
    },
    domain: "Domain",
    local: "Vor dem @",
    localHint: "Buchstaben und Ziffern, dazwischen einzelne Punkte, Binde- oder Unterstriche",
    description: "Beschreibung",
    descriptionHint: "Damit du später weißt, wofür er ist",
    website: "Website",
    recipients: "Wohin seine Post soll",
    create: "Alias anlegen",
    created: (email) => `${email} wurde angelegt`,
  },

  picker: {
    title: "Empfänger",
    add: "Empfänger hinzufügen",
    added: (email, place) => `${email} ist jetzt Nummer ${number(place)}`,
    search: "Empfänger suchen",
    full: (most) => `Ein Alias kann ${number(most)} Empfänger haben.`,
    allChosen: "Alle deine Empfänger stehen in der Liste. Unter „Empfänger“ kannst du weitere hinzufügen.",
    notFound: "Kein anderer Empfänger hat so eine Adresse.",
    gone: "ein gelöschter Empfänger",
    handle: (email, place, of) =>
      `${email}, ${number(place)} von ${number(of)}: mit den Pfeiltasten verschieben`,
    up: (email) => `${email} nach oben`,
    down: (email) => `${email} nach unten`,
    moved: (email, place, of) => `${email} ist jetzt ${number(place)} von ${number(of)}`,
    remove: (email) => `${email} herausnehmen`,
    removed: (email) => `${email} wurde herausgenommen`,
    last: "Der letzte Empfänger kann nicht heraus: Die Post hätte kein Ziel",
    reasons: {
      unknown: "wurde gelöscht",
      unverified: "noch nicht bestätigt",
      inactive: "ausgeschaltet",
    },
    needRecipient:
      "Du hast keinen Empfänger, der bestätigt und eingeschaltet ist. Füge zuerst einen hinzu und öffne den Link, den er bekommt.",
    toRecipients: "Deine Empfänger",
  },

  recipients: {
    title: "Empfänger",
    address: "Adresse eines Postfachs von dir",
    whatHappens:
      "Postern sendet einen Link dorthin. Sobald du ihn geöffnet und „Diese Adresse bestätigen“ gewählt hast, können Aliase dorthin weiterleiten.",
    add: "Empfänger hinzufügen",
    notAnAddress: "Das ist keine E-Mail-Adresse. Sie muss aussehen wie name@example.com.",
    taken: "Diese Adresse ist schon einer deiner Empfänger.",
    ofTheService: "Post an diese Adresse käme zum Dienst zurück. Nimm die Adresse eines Postfachs.",
    tooManyLinks: "An ein Postfach geht höchstens ein Link pro Minute, und fünf am Tag.",
    mails: verificationMails,
    confirmed: "Diese Adresse ist bestätigt. Jetzt können Aliase dorthin weiterleiten.",
    none: "Du hast noch keinen Empfänger",
    noneText:
      "Ein Empfänger ist ein Postfach von dir, an das deine Aliase weiterleiten. Füge oben seine Adresse hinzu.",
    states: {
      confirmed: "Bestätigt",
      unconfirmed: "Noch nicht bestätigt",
      off: "Ausgeschaltet",
    },
    default: "Standard für neue Aliase",
    makeDefault: "Zum Standard machen",
    madeDefault: (email) => `Neue Aliase leiten an ${email} weiter, wenn du nichts anderes wählst`,
    aliases: (count) => (count === 0 ? "kein Alias" : many(count, "Alias", "Aliase")),
    openLink:
      "Öffne den Link, der dorthin gesendet wurde, und wähle „Diese Adresse bestätigen“. Ein Link gilt einen Tag.",
    notArrived:
      "Der Link ist noch unterwegs oder konnte nicht zugestellt werden. Ist er in einer Stunde nicht da, prüfe die Adresse und sende ihn noch einmal.",
    sendAgain: "Link noch einmal senden",
    sendAgainIn: (seconds) => `in ${many(seconds, "Sekunde", "Sekunden")}`,
    receives: (email) => `Aliase können an ${email} weiterleiten`,
    switchedOn: (email) => `${email} ist eingeschaltet`,
    switchedOff: (email) => `${email} ist ausgeschaltet`,
    deleteOf: (email) => `${email} löschen`,
    deleted: (email) => `${email} wurde gelöscht`,
    switchOff: "Ausschalten",
    retire: {
      off: (email) => `${email} ausschalten`,
      delete: (email) => `${email} löschen`,
    },
    means: {
      off: "Kein Alias kann dorthin weiterleiten, bis du ihn wieder einschaltest.",
      delete: "Um ihn wieder zu verwenden, müsstest du ihn neu hinzufügen und bestätigen.",
    },
    attached: (count) =>
      count === 1
        ? "1 Alias leitet an diesen Empfänger weiter. Seine Post braucht zuerst einen anderen."
        : `${number(count)} Aliase leiten an diesen Empfänger weiter. Ihre Post braucht zuerst einen anderen.`,
    showAliases: (count) =>
      count === 1 ? "In der Liste zeigen" : `Alle ${number(count)} in der Liste zeigen`,
    noOther:
      "Du hast keinen anderen Empfänger, an den sie weiterleiten könnten. Füge einen hinzu und bestätige ihn, oder schalte einen ein, und komm dann zurück.",
    moveTo: "Umstellen auf",
    movingTo: (email) => `Sie werden auf ${email} umgestellt.`,
    choose: "Wähle einen Empfänger",
    move: "Umstellen",
    stop: "Anhalten",
    goOn: "Fortsetzen",
    progress: "Umgestellte Aliase",
    moved: (done, total) => `${number(done)} von ${number(total)} umgestellt`,
    stopped: "Angehalten. Was umgestellt ist, bleibt umgestellt.",
    someLeft: "Manche Aliase konnten nicht umgestellt werden. Versuche es noch einmal.",
    allMoved: "Kein Alias leitet mehr dorthin weiter.",
  },

  blockedSenders: {
    title: "Gesperrte Absender",
    sender: "Adresse oder Domain",
    whatIsBlocked:
      "Ihre Post wird an allen deinen Aliasen abgelehnt. Eine Domain wie shop.example steht auch für ihre Subdomains, etwa news.shop.example.",
    block: "Sperren",
    notASender: "Das ist weder eine Adresse wie ada@shop.example noch eine Domain wie shop.example.",
    blocked: (sender) => `Post von ${sender} wird jetzt abgelehnt`,
    linkable:
      "Ein Absender kann, wenn er will, herausfinden, welche Aliase einer Person gehören: Alle deine lehnen seine Post ab, die von anderen nicht.",
    discard:
      "Wo das wichtig ist, öffne stattdessen den Alias und lass seine Post unter Kontakte stillschweigend verwerfen.",
    toAliases: "Deine Aliase",
    none: "Du hast niemanden gesperrt",
    noneText:
      "Um Post von jemandem an allen deinen Aliasen abzulehnen, gib oben die Adresse oder Domain ein.",
    withSubdomains: "mit allen Subdomains",
    since: "gesperrt",
    unblock: "Entsperren",
    unblocked: (sender) => `${sender} ist nicht mehr gesperrt`,
  },

  webhooks: {
    title: "Webhooks",
    what: "Ein Webhook sagt einem Programm von dir an seiner Webadresse, wenn mit deinen Aliasen oder Nachrichten etwas geschieht.",
    disabled: "Dieser Dienst sendet keine Webhooks. Frag den Betreiber, ob sich das ändern kann.",
    new: "Neuer Webhook",
    none: "Du hast noch keinen Webhook",
    noneText:
      "Du brauchst nur einen, wenn du ein Programm geschrieben hast, das wissen soll, was hier geschieht.",
    url: "Webadresse deines Programms",
    urlHint: "Sie beginnt mit https:// und ist für alle erreichbar.",
    urlInvalid:
      "Das geht nicht. Sie muss mit https:// beginnen, eine Domain wie shop.example haben, weder Benutzer noch Passwort noch # und höchstens 2.000 Zeichen.",
    about: "Sag ihm, wenn",
    events: eventTypes,
    told: (events) => `Erfährt, wenn ${list(events)}`,
    chooseEvent: "Wähle mindestens eines.",
    create: "Anlegen",
    created: (url) => `Der Webhook zu ${url} wurde angelegt`,
    secret: "Das Geheimnis des neuen Webhooks",
    secretText:
      "Damit prüft dein Programm, ob das, was es bekommt, von hier ist. Bewahre es in deinem Programm auf.",
    secretOnce: "Es wird nur jetzt gezeigt und nie wieder.",
    copySecret: "Geheimnis kopieren",
    secretKept: "Ich habe es gespeichert",
    offReasons,
    receives: (url) => `${url} wird benachrichtigt`,
    switchedOn: (url) => `${url} ist eingeschaltet`,
    switchedOff: (url) => `${url} ist ausgeschaltet`,
    test: "Testen",
    waiting: "Warte auf die Antwort …",
    delivered: "Der Test ist angekommen.",
    notDelivered: "Der Test ist nicht angekommen:",
    change: "Ändern",
    changeTitle: "Webhook ändern",
    storedNow: "So ist er jetzt gespeichert:",
    deleteOf: (url) => `${url} löschen`,
    deleteTitle: "Webhook löschen",
    deleteText: "Dorthin wird nichts mehr gesendet. Sein Geheimnis nützt keinem anderen Webhook.",
    deleted: (url) => `Der Webhook zu ${url} wurde gelöscht`,
  },

  keys: {
    title: "Schlüssel",
    new: "Neuer Schlüssel",
    about:
      "Mit einem Schlüssel nutzt ein Programm dein Konto ohne dein Passwort: Ein Passwortmanager zum Beispiel legt damit Aliase an.",
    usedAt: "Programme verwenden Schlüssel bei",
    unavailable: "Bei diesem Dienst können Programme keine Schlüssel verwenden. Frag den Betreiber.",
    none: "Du hast noch keinen Schlüssel",
    noneText:
      "Mit einem Schlüssel nutzt ein Programm dein Konto ohne dein Passwort: Ein Passwortmanager wie Bitwarden zum Beispiel legt für jede Website einen Alias an.",
    can: (scopes) => `Kann ${list(scopes)}`,
    scopes: {
      "aliases:create": "Aliase anlegen",
      "aliases:read": "deine Aliase sehen",
      "aliases:write": "deine Aliase ändern und löschen",
      "recipients:read": "deine Empfänger sehen",
      "messages:read": "sehen, was aus deinen Nachrichten wurde",
    },
    unused: "Nie benutzt",
    lastUsed: "Zuletzt benutzt:",
    clients: {
      browser_extension: "von einer Browser-Erweiterung",
      browser: "von einer Webseite",
      mobile_app: "von einer App auf dem Handy",
      desktop_app: "von einer App auf dem Computer",
      program: "von einem Programm",
    },
    worksUntil: (day) => `Gilt bis ${day}`,
    expired: (day) => `Abgelaufen am ${day}`,
    onDomain: (domain) => `Legt Aliase bei ${domain} an`,
    forwardsTo: (recipients) => `Seine Aliase leiten weiter an ${list(recipients)}`,
    goneRecipient: "einen gelöschten Empfänger",
    deleteOf: (name) => `Schlüssel ${name} löschen`,
    deleteTitle: (name) => `Schlüssel „${name}“ löschen?`,
    deleteText:
      "Programme, die ihn benutzen, kommen nach spätestens 10 Sekunden nicht mehr hinein, und nichts bringt ihn zurück. Aliase, die sie angelegt haben, bleiben.",
    deleted: (name) => `Der Schlüssel ${name} ist gelöscht`,

    name: "Name",
    nameHint: "Daran erkennst du den Schlüssel, etwa „Bitwarden auf dem Handy“.",
    nameMissing: "Gib dem Schlüssel einen Namen.",
    use: "Wofür ist er?",
    uses: {
      passwordManager: "Für einen Passwortmanager",
      extension: "Für die Browser-Erweiterung von SimpleLogin oder addy.io",
      program: "Für ein anderes Programm",
    },
    useTexts: {
      passwordManager: "Zum Beispiel Bitwarden. Es kann Aliase anlegen und sieht nichts, was du hast.",
      extension: "Sie kann deine Aliase sehen, anlegen, ändern und löschen und deine Empfänger sehen.",
      program: "Du wählst, was es darf.",
    },
    may: "Das Programm darf",
    scopesMissing: "Wähle mindestens etwas, was das Programm darf.",
    expires: "Gilt bis (freiwillig)",
    expiresHint: "Ohne Tag gilt er, bis du ihn löschst.",
    expiresPast: "Wähle einen Tag, der noch nicht vorbei ist.",
    domain: "Seine Aliase sind bei",
    recipients: "Seine Aliase leiten weiter an",
    defaultRecipient: (email) => `Wenn du keinen wählst: an ${email}, deinen Standardempfänger.`,
    noRecipient:
      "Du hast noch keinen bestätigten Empfänger. Erst wenn du einen hast, kann das Programm Aliase anlegen. Hier geht es weiter:",
    tooManyRecipients: (limit) => `Wähle höchstens ${number(limit)} Empfänger.`,
    create: "Schlüssel anlegen",

    lost: "Die Antwort ging verloren. Darum ist nicht sicher, ob der Schlüssel angelegt wurde.",
    lostFound: (name) =>
      `Die Antwort ging verloren. Der Schlüssel „${name}“ wurde angelegt, aber niemand kann ihn kennen. Lösche ihn und lege dann einen anderen an.`,
    lostAbsent:
      "Die Antwort ging verloren, aber der Schlüssel wurde nicht angelegt. Versuche es noch einmal.",
    lostDeleted: "Dieser Schlüssel ist gelöscht. Jetzt kannst du einen anderen anlegen.",
    deleteMade: (time) => `Schlüssel vom ${time} löschen`,

    created: "Dein neuer Schlüssel",
    once: "Kopiere den Schlüssel jetzt: Er wird nie wieder gezeigt.",
    onceText: "Füge ihn nur in das Programm ein: Wer ihn hat, kann ihn benutzen.",
    program: "Für welches Programm ist er?",
    programs: {
      bitwarden: "Bitwarden",
      bitwardenDomain: "Bitwarden, als Addy.io",
      keyguard: "Keyguard",
      simpleLogin: "Browser-Erweiterung von SimpleLogin",
      addy: "Browser-Erweiterung von addy.io",
      other: "Ein anderes Programm",
    },
    programTexts: {
      bitwarden:
        "Öffne in Bitwarden den Generator und wähle den Benutzernamen („Username“), dann die weitergeleitete E-Mail-Adresse („Forwarded email alias“), dann den Dienst „SimpleLogin“. Die Serveradresse gehört in das Feld für den eigenen Server („Self-host server URL“). Ein Konto bei SimpleLogin brauchst du nicht.",
      bitwardenDomain:
        "Öffne in Bitwarden den Generator und wähle den Benutzernamen („Username“), dann die weitergeleitete E-Mail-Adresse („Forwarded email alias“), dann den Dienst „Addy.io“. Die Serveradresse gehört in das Feld für den eigenen Server („Self-host server URL“). Ein Konto bei addy.io brauchst du nicht.",
      keyguard:
        "Füge in Keyguard eine E-Mail-Weiterleitung hinzu und wähle „addy.io“. Ein Konto bei addy.io brauchst du nicht.",
      simpleLogin:
        "Füge in den Einstellungen der Erweiterung die Serveradresse ein. Wähle dann „Sign in with API Key“ und füge den Schlüssel ein.",
      addy: "Wähle in der Erweiterung eine andere Instanz und füge die Serveradresse ein. Wähle dann „Login using API Key instead“ und füge den Schlüssel ein.",
      other: "Füge den Schlüssel und die Serveradresse dort ein, wo das Programm danach fragt.",
    },
    key: "API-Schlüssel",
    copyKey: "Schlüssel kopieren",
    values: { address: "Serveradresse", domain: "Domain" },
    copyValue: { address: "Adresse kopieren", domain: "Domain kopieren" },
    stored: "Fertig, das Programm hat ihn",
    leaving: "Der Schlüssel wird nie wieder gezeigt. Hat das Programm ihn?",
    leave: "Trotzdem schließen",
    stay: "Zeigen",
  },

  settings: {
    title: "Einstellungen",
    signedInAs: "Du bist angemeldet als",
    signOutText:
      "Du meldest dich in allen Tabs dieses Browsers ab. Was du dort getippt und nicht gespeichert hast, wird vergessen.",
    theme: "Aussehen",
    themes: { system: "Wie auf diesem Gerät", light: "Hell", dark: "Dunkel" },
    language: "Die Sprache ist die, die dein Browser bevorzugt.",
    usage: "Was du hast",
    used: (count, limit) => (limit === null ? `${count}, ohne Grenze` : `${count} von ${number(limit)}`),
    orMore: (count) => `${number(count)} oder mehr`,
    count: "Zählen",
    counting: "Wird gezählt…",
    otherLimits: "Weitere Grenzen",
    noLimit: "ohne Grenze",
    limits: {
      aliases: "Aliase, auch gelöschte",
      recipients: "Empfänger",
      unverified_recipients: "Empfänger, die nicht bestätigt sind",
      blocked_senders: "Gesperrte Absender",
      keys: "Schlüssel",
      webhooks: "Webhooks",
      requests_per_minute: "Anfragen an den Dienst in einer Minute",
      creations_per_minute: "Neue Aliase, Empfänger und anderes in einer Minute",
      verification_messages_per_day: "Nachrichten zum Bestätigen von Empfängern an einem Tag",
      contacts_per_alias: "Kontakte eines Alias",
      logged_messages: "Aufgelistete Nachrichten aller Aliase zusammen",
      logged_messages_per_alias: "Aufgelistete Nachrichten eines Alias",
    },
    data: "Deine Daten",
    dataText:
      "Eine Datei mit deinen Aliasen, ihren Regeln und Kontakten, deinen Empfängern, gesperrten Absendern, Webhooks und Schlüsseln, für dich und für andere Programme (JSON). Sie enthält keine Nachricht und kein Geheimnis.",
    prepare: "Datei erstellen",
    prepareAgain: "Noch einmal erstellen",
    reading: "Deine Listen werden gelesen…",
    progress: (done, of) => `${number(done)} von ${many(of, "Alias", "Aliasen")}`,
    goesOn: "Du kannst die App inzwischen benutzen. Lass diesen Tab offen.",
    waiting: "Der Dienst antwortet nicht oder bittet zu warten. Es geht von selbst weiter.",
    ready: (aliases) => `Die Datei ist fertig, mit ${many(aliases, "Alias", "Aliasen")}.`,
    saveFile: "Datei speichern",
  },
};
