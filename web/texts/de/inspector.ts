import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { GateTexts } from '../en/gates.ts';
import type { HeldTexts } from '../en/held.ts';
import type { InspectorTexts } from '../en/inspector.ts';
import type { InspectorPartsTexts } from '../en/inspector-parts.ts';
import type { TakeBackTexts } from '../en/take-back.ts';
import { list, number, plural } from '../intl.ts';

export const inspector: InspectorTexts = {
  tabs: {
    explain: 'Erklärung',
    message: 'Nachricht',
    result: 'Ergebnis',
    slices: 'Ausschnitte',
    receipt: 'Beleg',
    context: 'Kontext',
  },
  tabsLabel: 'Reiter des Eintrags',
  welcome: 'Willkommen',
  record: (seq) => `Eintrag ${seq}`,
  pin: 'Anheften',

  empty: {
    title:
      'Sallyport prüft jede Handlung, die ein KI-Modell verlangt: Ist sie gültig, ist sie erlaubt, lief sie sicher ab?',
    start: () =>
      html`Es führt ein Protokoll, das Sie prüfen können. Drücken Sie <strong>Schritt</strong>: Die erste Anfrage durchläuft zehn Schranken und endet in einem Beleg. Vorher läuft nichts, und nichts verlässt dieses Gerät.`,
    motto: 'Das Modell schlägt vor, die Pforte entscheidet, die Sandbox handelt, das Protokoll beweist.',
    step: 'ein Vorschlag nach dem anderen',
    run: 'alle, bis eine Person gefragt wird',
    keys: 'alle Tasten',
    beTheModel: (you) =>
      html`Seien Sie danach das Modell: Wählen Sie ${you}, und versuchen Sie, einen Vorschlag an den Schranken vorbeizubringen.`,
    you: 'Sie',
    howARunWorks: 'Wie ein Lauf abläuft (englisch)',
  },

  headline: {
    stoppedAt: (gate) => html`Gestoppt bei <strong>${gate}</strong>. `,
    untold: 'Das Modell erfährt es nicht: Sein Griff ist bei jedem Ausgang derselbe.',
    waits: 'Gültig, und erlaubt, wenn Sie zustimmen. Noch ist nichts gelaufen.',
    carriedOut: 'Durch alle Schranken: vom Programm ausgeführt und festgehalten.',
    passed: {
      finish: 'Das Modell sagt, es sei fertig.',
      say: 'Eine Nachricht: Sie wird als Text gezeigt und führt keinen Code aus.',
      work: 'Durch alle Schranken: vollständig ausgeführt und festgehalten.',
      call: 'Durch alle Schranken: in der Sandbox ausgeführt und festgehalten.',
    },
  },
  proposal: 'Der Vorschlag',
  reply: 'Die Antwort',
  received: { model: 'Das Modell erhielt', caller: 'Der Aufrufer erhielt' },
  hadRead: { model: 'Was das Modell gelesen hatte', caller: 'Was der Aufrufer gelesen hatte' },
  labelsTell: {
    model:
      'Hat das Modell nicht vertrauenswürdige Daten gelesen, so braucht jedes Schreiben Ihre Genehmigung. Hat es auch private Daten gelesen, so gilt das für jedes Senden.',
    caller:
      'Hat der Aufrufer nicht vertrauenswürdige Daten gelesen, so braucht jedes Schreiben Ihre Genehmigung. Hat er auch private Daten gelesen, so gilt das für jedes Senden.',
  },
  carriedOut: {
    title: 'Wer ihn ausgeführt hat',
    text: 'Das Programm, außerhalb der Sandbox: Es gibt kein Abbild des Speichers und kein Fuel.',
    sentTo: (origin) => html` Die Argumente gingen an <bdi class="mono">${origin}</bdi>.`,
  },
  toolsListed: 'Die Werkzeuge dieses Laufs stehen mit ihren Argumenten unter „Vorschlag“, „Sie“.',
  closest: (name) => html`Der ähnlichste Name ist <span class="mono">${name}</span>. Dem Modell wird das nicht gesagt.`,
  remedies: {
    grants: 'Freigaben ansehen',
    definition: 'Definition ansehen',
    code: 'Code und Grenzen ansehen',
    edit: 'Bearbeiten und erneut senden',
  },
  fork: {
    button: 'Vor diesem Schritt verzweigen',
    fromStart: 'Ein neuer Lauf beginnt, und dann sind Sie dran. Dieser bleibt, wie er ist.',
    after: (proposals) =>
      `Ein neuer Lauf wiederholt ${plural(proposals, { one: 'denselben # Vorschlag', other: 'dieselben # Vorschläge' })}, und dann sind Sie dran. Dieser bleibt, wie er ist.`,
    noAuthority: 'Er übernimmt keine Freigabe, Fähigkeit oder Einwilligung aus der Datei.',
    stepped: (proposals) =>
      `Ein neuer Lauf beginnt als untrusted und macht Schritt für Schritt mit Ihnen ${plural(proposals, { one: 'denselben # Vorschlag', other: 'dieselben # Vorschläge' })}. Dieser bleibt, wie er ist.`,
  },
  gates: {
    title: 'Schranke für Schranke',
    toolQuestion: 'Antwortet das Programm rechtzeitig, mit einem Ergebnis, das sein Schema erlaubt?',
    seeReceipt: 'Siehe den Beleg.',
    at: (pointer) => html` bei <span class="mono">${pointer}</span>`,
    bytes: (bytes) => `${byteCount(bytes)} JSON`,
    grant: (hash) => `Freigabe ${hash}… der Policy`,
    byProgram: 'vom Programm ausgeführt, außerhalb der Sandbox',
    fuel: (fuel) => `${plural(fuel, { one: '# Operation', other: '# Operationen' })} an Fuel verbraucht`,
    record: (seq, hash) => `Eintrag ${seq}, ${hash}…`,
  },

  run: {
    ended: {
      completed: (steps) => `Der Lauf ist nach ${stepsText(steps)} abgeschlossen.`,
      aborted: (steps) => `Der Lauf wurde nach ${stepsText(steps)} abgebrochen.`,
      limit: (steps) => `Der Lauf hat nach ${stepsText(steps)} eine Grenze erreicht.`,
      failed: (steps) => `Der Lauf ist nach ${stepsText(steps)} gescheitert.`,
    },
    lastWords: { model: 'Die letzten Worte des Modells', caller: 'Die letzten Worte des Aufrufers' },
    why: 'Grund',
    leftOut: 'Nicht in diesem Lauf: weggelassen oder gelöscht.',
    offTask: 'Das Skript hat seine eigene Aufgabe beantwortet, nicht die dieses Laufs.',
    happened: {
      paused: 'Eine Person hat den Lauf angehalten. Er wartet, bis eine Person ihn fortsetzt.',
      resumed:
        'Die Seite war geschlossen, und der Lauf wurde fortgesetzt. Seine fertigen Schritte bleiben, und kein Aufruf läuft zweimal.',
      interrupted:
        'Ein Schritt wurde unterbrochen, als die Seite geschlossen wurde. Sein Ergebnis ist unbekannt, daher läuft er nicht noch einmal.',
      model_failed: 'Das Modell hat keinen Vorschlag gemacht. „Schritt“ fragt es noch einmal.',
    },
  },
  settings: {
    title: 'Die Einstellungen, die diesen Lauf bestimmen, festgehalten vor seinem ersten Schritt.',
    dialect: 'Dialekt',
    isolation: 'Isolation',
    proposer: 'Vorschlagender',
    hadRead: 'Zuvor gelesen',
    hadReadNothing: 'keine privaten Daten und keine Texte von Fremden',
    capabilities: 'Fähigkeiten',
    policy: 'Policy',
    steps: 'Höchstens Schritte',
    noLimit: 'keine Grenze',
  },

  message: {
    none: 'Zu diesem Eintrag gehört keine Nachricht.',
    noReply: 'Es wurde noch nichts geantwortet.',
    reading: (bytes) => `${byteCount(bytes)} werden gelesen …`,
    erased: (hash) =>
      html`Die Bytes sind nicht in diesem Lauf: aus seiner Datei weggelassen oder gelöscht. Ihr Hash ist: ${hash}.`,
    encoded: (bytes) => `${byteCount(bytes)} in UTF-8`,
    notEncoded: (bytes) => html`${byteCount(bytes)}, <strong class="bad">kein UTF-8</strong>`,
    sha256: 'SHA-256',
    forms: { tree: 'Baum', indented: 'Eingerückt', exact: 'Genau' },
    formsLabel: 'Darstellung',
    cut: (kept) => `Über der Größengrenze: Nur die ersten ${byteCount(kept)} wurden aufbewahrt.`,
    label: 'Die Bytes',
  },

  fields: {
    tree: 'Baum',
    receipt: (step, seq) => `Beleg von Schritt ${step}, Eintrag ${seq}`,
    recordOf: (seq, kind) => html`Eintrag ${seq}, ${kind}`,
    none: '(keine)',
    empty: '(leer)',
    over: {
      hash: 'über jedes andere Member dieses Eintrags, kanonisch',
      prev: 'der Hash des Eintrags davor',
      body_hash: 'über den kanonischen Body: den Teil, den eine Wiederholung neu erzeugt',
      sha256: 'über die Bytes, die neben dem Protokoll liegen',
      registry_hash: 'über alle Definitionen von Fähigkeiten des Laufs',
      policy_hash: 'über alle Freigaben des Laufs',
      limits_hash: 'über die Grenzen des Laufs',
      capability_hash: 'über die ganze Definition der Fähigkeit, Quelltext und Schemas',
      definition: 'über die Definition, deren Wirkung ein Mensch erklärt hat, wie ihre Quelle sie gibt',
      args_hash: 'über die kanonischen Argumente',
      image_hash: 'über den vorbereiteten Speicher der Sandbox',
      heap_hash: 'über den ganzen Speicher der Sandbox, als der Aufruf geendet hatte',
      result_hash: 'über das kanonische Ergebnis',
      digest: 'über Fähigkeit, kanonische Argumente, Lauf, Schritt und Nonce',
      content_hash: 'über den gelieferten Text',
      run_seq: 'Platz in diesem Lauf, ab 0',
      at: 'Uhrzeit in ms, von keiner Entscheidung gelesen',
    },
    overTool: {
      image_hash:
        'der Hash der Fähigkeit selbst: Das Programm hat den Aufruf ausgeführt, es gibt kein Abbild des Speichers',
      fuel: 'keines: Es lief keine Sandbox',
    },
  },

  report: {
    verifying: 'Wird geprüft …',
    verifyingLabel: 'Prüfung läuft',
    impossible: (why) => html`Der Lauf konnte nicht geprüft werden: ${why}`,
    verify: 'Diesen Lauf prüfen',
    head: 'Kopf',
    audit: 'In „Prüfung“ öffnen und zu fälschen versuchen',
  },
};

function stepsText(steps: number): string {
  return plural(steps, { one: '# Schritt', other: '# Schritten' });
}

export const inspectorParts: InspectorPartsTexts = {
  compare: {
    label: 'Angeheftete Einträge',
    pinAnother: (seq) => `Eintrag ${seq} ist angeheftet. Heften Sie einen zweiten an, um beide zu vergleichen.`,
    differ: (left, right, members) =>
      `Eintrag ${left} und Eintrag ${right} unterscheiden sich in ${plural(members, { one: '# Member', other: '# Membern' })}`,
    same: (members) => plural(members, { one: '# Member ist gleich', other: '# Member sind gleich' }),
    inRecord: (seq) => `in Eintrag ${seq}`,
    none: 'fehlt',
  },

  context: {
    otherTab:
      'Der Kontext ist nur für Läufe bekannt, die in diesem Tab entstanden sind. Für diesen Lauf zeigt „Ergebnis“ jede Antwort.',
    none: 'Es wurde noch nach keinem Vorschlag gefragt.',
    messages: (messages, step) =>
      `${plural(messages, { one: '# Nachricht', other: '# Nachrichten' })} vor Schritt ${step}.`,
    newOnes: (messages) => `${number(messages)} neu seit dem Schritt davor.`,
    new: 'neu',
  },

  slices: {
    noStep: 'Hier hat kein Schritt geendet.',
    none: 'In diesem Schritt wurde kein Inhalt gegeben.',
    charged: (bytes, sections, expansions) =>
      `Angerechnet: ${byteCount(bytes)} aus ${plural(sections, { one: '# Abschnitt', other: '# Abschnitten' })}, ${plural(expansions, { one: '# Expansion', other: '# Expansionen' })}.`,
    hash: (hash) => html`SHA-256 ${hash}`,
    bytesAndHash: (bytes, hash) => html`${byteCount(bytes)}, SHA-256 ${hash}`,
    gave: (name) => `Inhalt von ${name}`,
    erased: 'Der Text ist nicht in diesem Lauf: weggelassen oder gelöscht. Sein Hash ist noch da.',
  },
};

export const gates: GateTexts = {
  questions: {
    parse: 'Ist es JSON, in UTF-8, innerhalb der Grenzen?',
    structure: 'Ist es ein einzelnes Objekt ohne unbekannte Member?',
    form: 'Hat es genau eine der bekannten Formen?',
    capability: 'Gibt es die genannte Fähigkeit?',
    arguments: 'Passen die Argumente zu ihrem Schema?',
    verdict: 'Sind die Ergebnisse dieser Prüfungen festgehalten?',
    authorize: 'Erlaubt eine Freigabe diesen Aufruf?',
    approve: 'Muss eine Person zustimmen?',
    execute: 'Endet er in der Sandbox und innerhalb ihrer Grenzen?',
    receipt: 'Steht das Ergebnis im Protokoll?',
  },
  states: {
    passed: 'passiert',
    stopped: 'hier gestoppt',
    waiting: 'wartet auf eine Person',
    running: 'läuft',
    skipped: 'nicht nötig',
    never: 'nie erreicht',
    ahead: 'steht bevor',
  },
};

export const held: HeldTexts = {
  title: 'Für das Modell zurückgehalten',
  told: {
    model: (handle) =>
      html`Das Modell bekam den Griff <code>${handle}</code>. Es liest weder das Ergebnis noch, ob der Aufruf gelang.`,
    caller: (handle) =>
      html`Der Aufrufer bekam den Griff <code>${handle}</code>. Er liest weder das Ergebnis noch, ob der Aufruf gelang.`,
  },
  labels: 'Kennzeichen',
  noLabels: 'keine',
  sources: 'Seine Daten können stammen von',
  steps: 'Der Aufruf bekam die Werte aus',
  stepsOf: (steps) => `${steps.length === 1 ? 'Schritt' : 'den Schritten'} ${list(steps.map(String))}`,
  show: 'Ausgang zeigen',
  hide: 'Verbergen',
  value: 'Der zurückgehaltene Wert',
  erased: 'Der Wert ist nicht in diesem Lauf: in seiner Datei ausgelassen oder gelöscht.',
  reading: 'Wird gelesen …',

  unasked: {
    title: 'Warum niemand gefragt wurde',
    accepted: 'Die Freigabe nimmt diese Werte an ihren Stellen an:',
    unlabelled: 'Seine ungelesenen Werte sind weder privat noch nicht vertrauenswürdig.',
    inside:
      'Der Aufruf lief in der Sandbox, und nichts verließ sie. Sein Ausgang wird mit denselben Kennzeichen zurückgehalten:',
    pure: 'Das Werkzeug rechnet nur. Es sendet und ändert nichts:',
    answered: 'Eine frühere Antwort eines Menschen in diesem Lauf gilt für diese Werte:',
    all: 'alle Argumente',
  },

  words: {
    about: (handle) => `Wert ${handle}, den das Modell nicht gelesen hat`,
    missing: {
      unknown: 'in diesem Lauf gibt es keinen solchen Wert',
      erased: 'dieser Wert wurde gelöscht',
      failed: 'der Aufruf hat keinen Wert: er ist gescheitert',
      beyond: 'der Wert hat keinen solchen Teil',
    },
    cut: (characters) => `und ${number(characters)} weitere Zeichen`,
  },
};

export const takeBack: TakeBackTexts = {
  title: 'Zurücknehmen',
  ask: 'Zurücknehmen …',
  ranges: {
    label: 'Welche Aufrufe',
    step: (step) => `Nur Schritt ${step}`,
    from: (step) => `Alle ab Schritt ${step}`,
  },
  reading: 'Es wird gelesen, was eine Rücknahme täte …',
  would: (calls) =>
    plural(calls, {
      one: 'Dieser Aufruf würde zurückgenommen:',
      other: 'Diese # Aufrufe würden zurückgenommen, der neueste zuerst:',
    }),
  place: {
    step: (step) => `Schritt ${step}`,
    operation: (step, operation) => `Schritt ${step}, Operation ${operation}`,
    inner: (step, call) => `Schritt ${step}, Aufruf ${call} seines Programms`,
  },
  by: (tool) => html`durch ${tool}`,
  impossible: 'Nichts kann zurückgenommen werden, solange diese Aufrufe dabei sind:',
  reasons: {
    no_revert: 'seine Definition hat kein revert',
    content: 'er schrieb Inhalt, den content.undo zurücknimmt',
    changed: 'seine Definition hat sich seither geändert',
    gone: 'das Programm stellt ihn nicht mehr bereit',
    erased: 'seine Argumente oder sein Ergebnis wurden gelöscht',
    large: 'seine Argumente und sein Ergebnis sind zu groß für einen Aufruf',
    unknown: 'man weiß nicht, ob er lief',
    open: 'er ist noch im Gange',
    failed: 'er scheiterte und hat nichts zurückzunehmen',
    nothing: 'er hat nichts geändert',
  },
  before: 'Schon zurückgenommen',
  nothing: 'Es gibt nichts zurückzunehmen.',
  laterCalls: (calls) =>
    plural(calls, { one: '# späterer Aufruf dieses Laufs bleibt.', other: '# spätere Aufrufe dieses Laufs bleiben.' }),
  laterRuns: (runs) =>
    plural(runs, {
      one: '# Lauf begann später. Er bleibt, und kann auf diesen Aufrufen beruhen.',
      other: '# Läufe begannen später. Sie bleiben, und können auf diesen Aufrufen beruhen.',
    }),
  own: 'Die Rücknahme ist ein eigener Lauf. Er fragt Sie bei jedem Aufruf, außer wo eine Freigabe ihn erlaubt.',
  act: 'Zurücknehmen',
  goOn: 'Mit der Rücknahme fortfahren',
  beginning: 'Die Rücknahme beginnt …',
  openRun: (run) => `Lauf ${run} öffnen`,
  failed: (why) => html`Nichts wurde geändert. ${why}`,
  broke: (why) => `Die Rücknahme scheiterte: ${why}`,

  undone: {
    title: 'Was er zurücknimmt',
    of: (run) => `Aufrufe des Laufs ${run}, der neueste zuerst:`,
    ends: {
      undone: 'zurückgenommen',
      stands: 'bleibt bestehen',
      untried: 'bleibt bestehen: Die Rücknahme endete vorher',
      unknown: 'unbekannt: Die Rücknahme brach in diesem Aufruf ab',
      open: 'im Gange',
      ahead: 'noch nicht',
    },
  },
};
