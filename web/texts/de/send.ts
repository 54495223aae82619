import { byteCount, byteSize } from '../amounts.ts';
import type { ReportTexts } from '../en/report.ts';
import type { SendTexts } from '../en/send.ts';
import { number, plural } from '../intl.ts';

const characters = (n: number): string => plural(n, { other: '# Zeichen' });

export const send: SendTexts = {
  close: 'Schließen',
  title: 'Diesen Lauf senden',
  exportTitle: 'Diesen Lauf exportieren',
  archiveTitle: 'Diesen Lauf archivieren',
  looking: 'Die Größe wird ermittelt …',
  makeLink: 'Link erstellen',
  saveFile: 'Als Datei speichern',
  saveReport: 'Bericht speichern',
  savePage: 'Als Seite speichern',
  cancel: 'Abbrechen',
  cancelled: 'Abgebrochen. Ändern Sie oben eine Wahl, um es neu vorzubereiten.',
  pageIs: 'Eine Seite ist eine Datei mit dem Lauf und seinen Prüfungen und braucht kein Netz.',
  report: {
    steps: 'Ein Bericht zeigt',
    all: 'jeden Schritt',
    problems: 'Schritte mit einem Problem',
    range: 'einen Bereich von Schritten',
    from: 'von',
    to: 'bis',
  },
  reportIs: 'Ein Bericht ist eine Datei zum Lesen und Drucken. Er hat kein Skript und lädt nichts.',
  discloses: 'Was er offenlegt',
  always: (records) =>
    `Immer: ${plural(records, { one: '# Eintrag', other: '# Einträge' })} mit den Namen des Modells und der Fähigkeiten, Zeiten, Entscheidungen, Codes und Hashes.`,
  disclosures: {
    plain: {
      word: 'Texte',
      what: 'Aufgabe, Vorschläge, Argumente, Ergebnisse, Antworten, die Definitionen der Fähigkeiten und die Freigaben',
    },
    private: { word: 'Private Texte', what: 'jeder Text ab dem ersten Lesen privater Inhalte' },
    secret: {
      word: 'Geheime Texte',
      what: 'Texte geheimer Fähigkeiten mit ihrem Salt und die Zeilen rund um die gelesenen',
    },
  },
  none: (word) => `${word}: keine in diesem Lauf.`,
  amount: (payloads, bytes) => `(${plural(payloads, { one: '# Stück', other: '# Stück' })}, ${byteSize(bytes)})`,
  link: 'Der Link',
  linkIs:
    'Der Lauf steht im Teil nach dem #, den Browser nie an einen Server senden. Er bleibt im Verlauf der Browser, die ihn öffnen, und in jedem Chat und jeder Mail, die ihn tragen.',
  copyLink: 'Link kopieren',
  saved: 'Gespeichert.',
  copied: 'Kopiert.',

  offer: {
    leftOut: (texts) =>
      ` ${plural(texts, { one: '# Text', other: '# Texte' })} weggelassen: Eine Prüfung, die einen solchen Text braucht, sagt, dass sie nicht stattfand.`,
    asFile: (bytes) => `Als Datei hat er ${byteCount(bytes)}.`,
    asPage: (bytes) => `Als Seite hat er etwa ${byteSize(bytes)} und 0,2 MB Code.`,
    tooManyBytes: (limit, file) =>
      `Zu groß für einen Link: Ein Link fasst höchstens ${byteCount(limit)}. ${file} Speichern Sie stattdessen die Datei.`,
    tooLong: (length, limit, file) =>
      `Zu groß für einen Link: Er hätte ${characters(length)}, die Grenze ist ${number(limit)}. ${file} Speichern Sie stattdessen die Datei.`,
    fits: (length, places, file) => `Der Link hätte ${characters(length)}: ${places}. ${file}`,
    places: {
      chat: 'Er passt in eine Chatnachricht',
      most: 'Er passt an die meisten Stellen',
      few: 'Viele Chats schneiden ihn ab, eine Seite oder eine Mail ist also besser',
    },
  },

  import: {
    title: 'Ein Lauf von anderswo',
    given: 'Ein Export, ein Link mit einem Lauf oder die Adresse eines Exports',
    asking: 'Wird gefragt …',
    open: 'Öffnen',
    openLink: 'Diesen Link ansehen',
    openText: 'Diesen Text öffnen',
    ask: (host) => `${host} fragen`,
    pasted: 'das Eingefügte',
    noRequest: 'Ein Text und ein Link bleiben in dieser Seite: Für sie wird keine Anfrage gestellt.',
    request: (host) =>
      `Ein Worker dieser Seite fragt ${host} nach dieser Adresse, ohne Cookies. Der Server sieht die Adresse Ihres Geräts und dieser Seite und muss dieser Seite erlauben, die Antwort zu lesen.`,
    answered: (status) => `Der Server antwortete mit ${status}.`,
  },

  sent: {
    reading: 'Der Link wird gelesen …',
    facts: (run) =>
      `${plural(run.records, { one: '# Eintrag', other: '# Einträge' })}, ${plural(run.steps, { one: '# Schritt', other: '# Schritte' })}; ${characters(run.characters)} im Link, entpackt ${byteCount(run.bytes)}`,
    thisRun: (facts) => `Ein Link hat diesen Lauf gebracht (${facts}).`,
    otherRun: (facts) => `Ein Link hat einen anderen Lauf gebracht (${facts}).`,
    untouched:
      ' Nichts davon wurde ausgeführt, nichts wurde dafür abgerufen, und keine Freigabe dieses Geräts hat sich geändert.',
    open: 'Statt dieser Datei öffnen',
    leave: 'Ohne ihn weitermachen',
    byLink: (id) => `${id} per Link`,
    refused: (reason) =>
      `Dieser Link lässt sich nicht öffnen: ${reason}. Nichts wurde ausgeführt, und nichts wurde abgerufen.`,
    noText: 'sein Inhalt ist kein Text',
    noRecord: 'er enthält keinen Eintrag eines Laufs',
  },

  fork: {
    leftOut: (step) =>
      `der Vorschlag von Schritt ${step} wurde in der Datei weggelassen. Verzweigen Sie dort oder davor.`,
  },
};

export const report: ReportTexts = {
  title: (run) => `Bericht über den Lauf ${run}`,
  heading: 'Bericht über einen Lauf',
  unnamed: 'ohne Namen',
  unknown: 'unbekannt',
  steps: (steps) => plural(steps, { one: '# Schritt', other: '# Schritte' }),
  onlyProblems: (steps) =>
    `Eingegrenzt auf ${plural(steps, { one: '# Schritt mit einem Problem', other: '# Schritte mit einem Problem' })}.`,
  onlySteps: (from, to, steps) =>
    `Eingegrenzt auf ${plural(steps, { one: '# Schritt', other: '# Schritte' })}: ${to === undefined ? `ab Schritt ${number(from)}` : `Schritt ${number(from)} bis ${number(to)}`}.`,
  furtherSteps: (steps) => `Die weiteren ${number(steps)} Schritte stehen im Export.`,
  notInFile: 'Nicht in dieser Datei: weggelassen oder entfernt.',
  noText: (bytes) => `${plural(bytes, { other: '# Byte' })}, die kein Text sind.`,
  furtherCharacters: (characters) => `${number(characters)} weitere Zeichen stehen im Export.`,
  run: 'Lauf',
  began: 'Begonnen',
  lasted: 'Dauer',
  model: 'Modell',
  dialect: 'Dialekt',
  task: 'Aufgabe',
  tasks: 'Aufgaben',
  outcome: 'Ergebnis',
  noEnd: 'Der Lauf hat in dieser Datei kein Ende.',
  checks: 'Prüfungen',
  notRun: 'nicht durchgeführt',
  notVerified: (places) => `${number(places)} nicht geprüft: `,
  head: 'Kopf',
  proof: 'Dieser Bericht ist nicht der Nachweis: Das ist der Export, und npx sallyport verify DATEI prüft ihn.',
  questions: 'Fragen an eine Person',
  noQuestions: 'Es wurde keine Frage gestellt.',
  inStep: (step) => `Schritt ${step}: `,
  step: (step) => `Schritt ${step}`,
  duration: (proposal, rest) => `${proposal} vom Eintrag davor bis zum Vorschlag, ${rest} vom Vorschlag bis zum Beleg.`,
  durationTogether: (proposal) =>
    `${proposal} vom Eintrag davor bis zum Vorschlag, dessen Einträge zusammen geschrieben wurden.`,
  proposal: 'Vorschlag',
  reply: 'Antwort',
  receipt: (hash) => `Beleg ${hash}…`,
  fuel: (fuel) => `Fuel ${fuel}`,
  time: 'Zeit',
  timeIs:
    'Die Zeiten der Einträge, ohne die Zeit zwischen den Schritten. Die Zeit des Modells enthält auch Leerlauf, und die Zeit des Speichers steckt in den anderen Teilen. Uhren sind nicht bewiesen.',
  inAll: 'insgesamt',
  parts: { model: 'Modell', gates: 'Schranken', sandbox: 'Sandbox', person: 'Person', disk: 'Speicher' },
  together: 'Seine Einträge wurden zusammen geschrieben',
};
