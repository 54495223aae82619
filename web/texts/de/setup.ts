import { html } from 'lit';
import type { SetupTexts } from '../en/setup.ts';
import { number, plural } from '../intl.ts';

export const setup: SetupTexts = {
  task: 'Aufgabe',
  taskNotHere: 'Nicht auf diesem Gerät.',
  then: 'Dann:',
  otherTask: 'Eine andere Aufgabe',
  otherScenario: 'Mit einem anderen Szenario beginnen …',
  copyCode: 'Als Code kopieren …',
  embed: 'Einbetten …',
  modelIsAsked: 'Was das Modell gefragt wird',
  grants: (grants) =>
    html`${plural(grants, { one: '# Freigabe', other: '# Freigaben' })} <span class="soft">· alles andere ist verweigert</span>`,
  uses: (uses) => plural(uses, { one: '# Nutzung', other: '# Nutzungen' }),
  narrowed: 'eingeschränkt',
  changeGrants: 'Freigaben ändern',
  limits: 'Grenzen',
  steps: 'Schritte',
  refusedInRow: 'Abgelehnt in Folge',
  otherLimits: 'Andere Grenzen',
  stepsMax: 'Höchstens so viele Schritte',
  refusedInRowMax: 'Höchstens so viele in Folge abgelehnt',
  budgets: () => html`Budgets <span class="soft">· verbraucht von der letzten Nachricht</span>`,
  symbols: 'Symbole',
  sections: 'Abschnitte',
  bytesRead: 'Gelesene Bytes',
  expansions: 'Expansionen',
  unlimited: (used) => `${number(used)}, ohne Grenze`,
  usedOf: (used, limit) => `${number(used)} von ${number(limit)}`,
  full: 'voll',
  modelHasRead: 'Was das Modell gelesen hat',
  callerHasRead: 'Was der Aufrufer gelesen hat',
  noLabels: 'Keine privaten Daten und keinen Text von Fremden.',
  labels: {
    private: 'Privat: geht nur mit Ihrer Einwilligung an ein Modell außerhalb dieses Geräts.',
    untrusted:
      'Nicht vertrauenswürdig: Fremde haben es geschrieben, daher fragt jedes Schreiben und jedes Senden Sie, auch wo eine Freigabe es erlaubt.',
  },
  modelAt: (origin) => `bei ${origin}`,

  composer: {
    who: 'Wer schlägt vor',
    proposers: { script: 'Skript', you: 'Sie', model: 'Modell' },
    hints: {
      script: 'Ein vorbereitetes Modell: jedes Mal dieselben Texte.',
      you: 'Sie sind das Modell. Schreiben Sie genau, was es senden würde.',
      model: 'Ein Modell in dieser Seite, auf diesem Gerät oder hinter einem Server.',
    },
    wire: 'Drahtform',
    wires: {
      xct: 'Ein nächster Schritt oder das Ende.',
      femtoclaw: 'Dieselben Schritte als Werkzeugaufruf oder als Nachricht.',
      catalytic: 'Arbeitsaufträge: Fenster in benannte Papiere, mit Budgets. Die Papiere liegen unter Korpus.',
    },
    wireFree: 'Eine Auswahl beginnt einen neuen Lauf.',
    wireFixed: 'Während eines Laufs nicht änderbar.',
    goOnTitle: 'Mit einer anderen Aufgabe weitermachen',
    goOnExample: 'Und was schulden wir der Molkerei?',
    goOn: 'Weiter',
    sameRun: 'Derselbe Lauf, dasselbe Protokoll.',
    told: () => html`Das Skript ist zu Ende. <strong>Sie</strong> können übernehmen oder einen neuen Lauf beginnen.`,
    next: (nth, all) => `Als Nächstes: ${number(nth)} von ${number(all)}`,
    nextProposal: 'Der nächste Vorschlag des Skripts',
    edit: 'Ändern und selbst senden',
    offTask: () =>
      html`<strong>Das Skript beantwortet diese Aufgabe nicht.</strong> Seine Vorschläge wurden für die eigene Aufgabe des Szenarios geschrieben, und es macht bei jeder Aufgabe dieselben.`,
    beYou: 'Selbst vorschlagen',
    askModel: 'Ein Modell fragen',
    ownTask: 'Die eigene Aufgabe des Skripts',
    yourProposal: 'Ihr Vorschlag',
    replaced: 'Ihr getippter Text wurde ersetzt.',
    undo: 'Rückgängig',
    send: 'Senden',
    sends: (control, enter) => html`<kbd>${control}</kbd> <kbd>${enter}</kbd> sendet`,
    whyNot: {
      starting: 'Warten Sie, bis der Kernel gestartet ist.',
      over: 'Dieser Lauf ist zu Ende. Beginnen Sie einen neuen.',
      free: 'Kein Tab hat diesen Lauf. Setzen Sie ihn fort.',
      elsewhere: 'Ein anderer Tab hat diesen Lauf. Übernehmen Sie ihn.',
    },
    noScript: {
      starting: 'Warten Sie, bis der Kernel gestartet ist, um wieder vorzuschlagen.',
      over: 'Dieser Lauf ist zu Ende. Beginnen Sie einen neuen, um wieder vorzuschlagen.',
      free: 'Kein Tab hat diesen Lauf. Setzen Sie ihn fort, um wieder vorzuschlagen.',
      elsewhere: 'Ein anderer Tab hat diesen Lauf. Übernehmen Sie ihn, um wieder vorzuschlagen.',
    },
    caller: (label) =>
      html`<strong class="mono">${label}</strong>, der Aufrufer dieser Sitzung. Jeder seiner Aufrufe ist ein Vorschlag, der jede Schranke passiert.`,
    sessionIsRead: 'Eine Sitzung wird hier gelesen, geprüft und exportiert. Ein neuer Lauf nimmt Ihre Vorschläge an.',
  },

  forecast: {
    stopsAtParse: (why) => `Würde bei parse gestoppt. ${why}`,
    isJson: 'Ist JSON.',
    unknownName: (name) => `Ist JSON. Hier gibt es kein ${name}.`,
    closest: (name) => ` Der nächste Name ist ${name}.`,
    modes: {
      allow: (name) => `Ist JSON, und ${name} ist erlaubt.`,
      ask: (name) => `Ist JSON, und ${name} fragt Sie zuerst.`,
      deny: (name) => `Ist JSON, und ${name} ist verweigert.`,
      none: (name) => `Ist JSON, und ${name} hat keine Freigabe.`,
    },
  },

  runs: {
    earlier: (runs) =>
      html`${plural(runs, { one: '# früherer Lauf', other: '# frühere Läufe' })} <span class="soft">· auf diesem Gerät</span>`,
    none: 'Läufe bleiben hier, auch wenn Sie die Seite schließen.',
    read: 'Einen exportierten Lauf lesen',
    compare: 'Mit einem anderen Lauf vergleichen …',
    keep: 'Läufe archivieren oder löschen …',
    inOtherTab: 'in einem anderen Tab',
    fromBackup: 'aus einer Sicherung',
    sealed: 'versiegelt',
    open: 'offen',
    records: (records) => plural(records, { one: '# Eintrag', other: '# Einträge' }),
  },

  tools: {
    title: (tools) =>
      html`${plural(tools, { one: '# Werkzeug', other: '# Werkzeuge' })} <span class="soft">· mit ihren Argumenten</span>`,
    use: 'Verwenden',
    useNamed: (name) => `${name} verwenden`,
    arguments: 'Argumente',
    schema: (name) => `Schema der Argumente von ${name}`,
    disabled: 'abgeschaltet',
    noGrant: 'keine Freigabe',
  },
};
