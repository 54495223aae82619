import { byteCount } from '../amounts.ts';
import type { RunTexts } from '../en/run.ts';
import { number, plural } from '../intl.ts';

export const run: RunTexts = {
  actions: {
    fork: 'Verzweigen',
    listRuns: 'Auflisten früherer Läufe',
    run: 'Lauf',
    step: 'Schritt',
    abort: 'Abbrechen',
    pause: 'Anhalten',
    cancelRequest: 'Abbrechen der Anfrage',
    answer: 'Antwort',
    nextTask: 'Nächste Aufgabe',
    export: 'Exportieren',
    openFile: 'Öffnen der Datei',
    verify: 'Prüfen',
    follow: 'Mitlesen des Laufs',
    takeOver: 'Übernehmen',
    papers: 'Auslegen der Papiere',
  },
  failed: (action, why) => `${action} gescheitert: ${why}`,
  noModel:
    'dieser Lauf hat kein Modell, das bereit ist. Wählen Sie eines unter „Wer schlägt vor“, oder schlagen Sie selbst vor.',
  noScenario: 'er gehört zu keinem Szenario, das hier bekannt ist.',
  proposalsMissing: 'nicht alle Vorschläge dieses Laufs sind auf diesem Gerät.',
  fileTooLarge: (bytes) => `sie hat ${byteCount(bytes)}, die Grenze ist 64 MB.`,
  noRunInFile: 'sie enthält keinen Eintrag eines Laufs. „Prüfung“ sagt mehr dazu.',
  sessionOf: (caller) => `Sitzung von ${caller}`,
  undoOf: (run) => `Rücknahme des Laufs ${run}`,

  row: {
    unnamed: 'Keine Aufgabe, oder ihr Text wurde gelöscht',
    inOtherTab: 'in einem anderen Tab',
    fromBackup: 'aus einer Sicherung',
    sealed: 'versiegelt',
    open: 'offen',
    records: (records) => plural(records, { one: '# Eintrag', other: '# Einträge' }),
    filter: 'Nach Aufgabe, Ausgang, Modell, Datum oder Kennung filtern',
    found: (found, all) => `${number(found)} von ${number(all)} Läufen`,
  },

  bar: {
    export: 'Exportieren',
    continue: 'Fortsetzen',
    takeOver: 'Übernehmen',
    newRun: 'Neuer Lauf',
    step: 'Schritt',
    pause: 'Anhalten',
    run: 'Laufen lassen',
    abort: 'Abbrechen …',
  },

  abort: {
    title: 'Diesen Lauf beenden?',
    what: 'Ein abgebrochener Lauf kann nicht weitergehen. Seine Einträge bleiben und lassen sich prüfen.',
    keep: 'Lauf behalten',
    end: 'Lauf beenden',
  },

  status: {
    starting: 'Startet',
    readOnly: 'Nur lesbar',
    readRun: 'Ein früherer Lauf. Sie können ihn lesen, prüfen und exportieren.',
    readSession: 'Eine geschlossene Sitzung. Sie können sie lesen, prüfen und exportieren.',
    approval: 'Wartet auf Genehmigung',
    approvalOf: (capability) => `Angehalten. ${capability} braucht Ihre Genehmigung.`,
    consent: 'Wartet auf Einwilligung',
    consentTo: (origin) => `Angehalten. Die nächste Anfrage würde private Daten an ${origin} senden.`,
    questionKey: 'F8 führt zur Frage.',
    model: 'Wartet auf das Modell',
    waitsFor: (model) => `Wartet auf ${model}.`,
    modelAnswers: (model) => `${model} antwortet.`,
    modelWaits: (paused, reason, time) =>
      `${paused ? 'Angehalten' : 'Läuft'}. ${reason} Das Modell hat seit ${time} nicht geantwortet. ${paused ? '„Laufen lassen“ fragt wieder.' : 'Es wird bald wieder gefragt.'}`,
    said: (text) => ` Es sagte: ${text}`,
    yourTurn: 'Sie sind dran',
    youAreTheModel: 'Sie sind das Modell. Senden Sie einen Vorschlag.',
    running: 'Läuft',
    runningSentence: 'Läuft.',
    phases: {
      INPUT_RECEIVED: 'Wartet auf einen Vorschlag.',
      PROTOCOL_VALIDATING: 'Prüft, ob der Vorschlag gültig ist.',
      AUTHORIZATION_EVALUATING: 'Entscheidet, ob er erlaubt ist.',
      CAPABILITY_EXECUTING: 'Führt ihn in der Sandbox aus.',
      MEMORY_COMMITTING: 'Schreibt den Beleg.',
    },
    ready: 'Bereit',
    readySentence: 'Angehalten vor dem ersten Schritt. Noch ist nichts gelaufen.',
    interrupted: 'Unterbrochen',
    cutOff: (step) =>
      `Schritt ${step} wurde abgeschnitten. Ob er gewirkt hat, ist unbekannt; nichts wurde noch einmal ausgeführt.`,
    resumed: 'Fortgesetzt',
    resumedAt: (seq) =>
      `Fortgesetzt, wo er stehen blieb, wie Eintrag ${seq} sagt. Kein Schritt wurde noch einmal ausgeführt.`,
    paused: 'Angehalten',
    pausedAfter: (ending) => `Angehalten. ${ending}`,
    stepDone: (step) => `Schritt ${step} ist fertig.`,
    passed: (step, title) => `Schritt ${step}, ${title}, hat jede Schranke passiert.`,
    stopped: (step, title, gate, code) => `Schritt ${step}, ${title}, wurde bei ${gate} gestoppt: ${code}.`,
    followed: 'Mitgelesen',
    followedSentence: 'Ihr Programm hat diese Sitzung offen. Sie wird so gezeigt, wie sie dort geschrieben wird.',
    unfinished: 'Unvollendet',
    leftSentence: 'Kein Programm hat diese Sitzung offen. Das Programm, das sie begonnen hat, kann sie fortsetzen.',
    elsewhere: {
      there: {
        word: 'In anderem Tab',
        sentence: 'Ein anderer Tab hat diesen Lauf. Er wird so gezeigt, wie er dort geschrieben wird.',
      },
      taken: {
        word: 'Übernommen',
        sentence: 'Ein anderer Tab hat diesen Lauf übernommen. Er wird so gezeigt, wie er dort geschrieben wird.',
      },
      free: {
        word: 'Unvollendet',
        sentence: 'Kein Tab hat diesen Lauf offen. Sie können ihn hier fortsetzen, ab seinem letzten Eintrag.',
      },
      taking: {
        word: 'Übernahme läuft',
        sentence:
          'Der andere Tab muss erst seinen Schritt beenden und den Lauf freigeben. Ein eingefrorener Tab muss vorher aufwachen.',
      },
    },
    completed: 'Abgeschlossen',
    completedIn: (after) => `Abgeschlossen nach ${after}.`,
    aborted: 'Abgebrochen',
    abortedAfter: (after) => `Abgebrochen nach ${after}. Das Protokoll ist geschlossen und lässt sich prüfen.`,
    limit: 'Grenze erreicht',
    limitAfter: (after, code) => `Nach ${after} von einer Grenze gestoppt: ${code}.`,
    failed: 'Gescheitert',
    failedAfter: (after, code) => `Nach ${after} gescheitert: ${code}.`,
    noCode: 'ohne Code',
    steps: (steps) => plural(steps, { one: '# Schritt', other: '# Schritten' }),
    stepsAndTokens: (steps, tokens) => `${steps} und ${plural(tokens, { one: '# Token', other: '# Tokens' })}`,
  },
  notice: (code, message) => NOTICES[code] ?? message,
};

/** Other hints name numbers or capabilities: they stay as the kernel wrote them. */
const NOTICES: { readonly [code: string]: string } = {
  nothing_offered:
    'Dem Modell wird keine Fähigkeit angeboten, daher kann es nur sprechen. Registrieren Sie eine, schalten Sie sie ein, und geben Sie sie frei.',
  nothing_granted:
    'Keine Freigabe deckt, was dem Modell angeboten wird, daher wird jeder Aufruf abgelehnt. Geben Sie frei, was es aufrufen darf.',
  tokens_not_counted:
    'Der Server des Modells meldet keine Tokens, daher beendet limits.tokens diesen Lauf nicht. Setzen Sie stattdessen limits.steps.',
};
