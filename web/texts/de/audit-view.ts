import { html } from 'lit';
import type { AuditTexts } from '../en/audit.ts';
import type { AuditViewTexts } from '../en/audit-view.ts';
import type { SavedPageTexts } from '../en/saved-page.ts';
import { number, plural } from '../intl.ts';
import { records } from './records.ts';

const UNPROVEN =
  'Was damit nicht bewiesen ist: wer den Lauf gemacht hat, und dass nach seinem letzten Eintrag nichts abgeschnitten wurde. Bewahren Sie dafür seinen Kopf anderswo auf.';

export const auditView: AuditViewTexts = {
  title: 'Prüfung',
  falsified: 'gefälschte Kopie',
  savePage: 'Als Seite speichern',
  savePageHint: 'Eine einzelne Datei mit dem Lauf und seinen Prüfungen. Sie braucht kein Netz',
  send: 'Senden …',
  sendHint: 'Ein Link, eine Datei oder ein Bericht, nach einem Blick auf das, was sie offenlegen',
  import: 'Importieren …',
  importHint: 'Ein eingefügter Export oder Link, oder eine Adresse',
  saveCheckpoint: 'Checkpoint speichern',
  saveCheckpointHint:
    'Der aktuelle Kopf jedes Laufs auf diesem Gerät, signiert. Bewahren Sie ihn außerhalb dieses Geräts auf',
  openFile: 'Datei öffnen …',
  predict:
    'Der gespeicherte Lauf wird nie verändert. Sagen Sie voraus, welche Prüfung es bemerkt, und probieren Sie es dann.',
  verdicts: {
    consistent: 'Keine Prüfung über {records} Einträge ist gescheitert',
    consistentOne: 'Keine Prüfung über 1 Eintrag ist gescheitert',
    origins: {
      kept_elsewhere: ', und der Kopf ist der, der anderswo verwahrt wurde.',
      own_store: ', und der eigene Speicher hat denselben Kopf. Kein Kopf von anderswo wurde angegeben.',
      unsigned_checkpoint:
        ', und der angegebene Checkpoint hat denselben Kopf. Kein Schlüssel wurde angegeben, um diesen Checkpoint zu prüfen.',
      unknown_origin: '. Die Herkunft ist unbekannt: Kein Kopf von anderswo wurde angegeben.',
    },
    unproven: {
      kept_elsewhere:
        'Was damit nicht bewiesen ist: wer den Lauf gemacht hat, und was hinter dem verwahrten Kopf kam. Wer Ihnen einen Kopf mit der Datei gibt, kann beide gemacht haben.',
      own_store: UNPROVEN,
      unsigned_checkpoint:
        'Was damit nicht bewiesen ist: wer den Lauf gemacht hat, und wer den Checkpoint. Prüfen Sie den Checkpoint mit dem Schlüssel seines Logs.',
      unknown_origin: UNPROVEN,
    },
    undecided: ' Die Entscheidungen wurden nicht neu getroffen.',
    cut: 'Abgeschnitten: Die Einträge 0 bis {last} sind intakt, und was danach kam, fehlt.',
    cutAll: 'Abgeschnitten: Von diesem Export gibt es nur die Kopfzeile.',
    faults: {
      anchor_unread: 'Der angegebene Kopf ist nicht lesbar, daher wurde nichts mit ihm verglichen.',
      other_run: 'In sich stimmig, aber nicht der Lauf, den Sie erwartet haben.',
      other_stored: 'In sich stimmig, aber nicht der Lauf, den der eigene Speicher hat.',
      no_export: 'Diese Datei ist kein Export eines Laufs.',
      differs: 'Intakt, aber neu ausgeführt weicht der Lauf bei Eintrag {place} ab.',
      does_not_follow: 'Die Kette hält, aber Eintrag {place} folgt nicht aus dem, was vor ihm festgehalten ist.',
      not_intact: 'Nicht intakt: erstes Problem bei Eintrag {place} von {records}.',
    },
    compared: {
      given: 'Verglichen mit einem Kopf, der von Hand angegeben wurde: {head}',
      checkpoint:
        'Verglichen mit einem Checkpoint von {origin} bei {size} Einträgen. Seine Signatur wurde nicht geprüft.',
      signed: 'Verglichen mit einem Checkpoint von {origin} bei {size} Einträgen, und mit dem Schlüssel {key}.',
      store: 'Verglichen mit dem Kopf im Speicher, aus dem der Lauf kam.',
    },
  },

  empty: {
    title: 'Was ist geschehen, und können Sie sich darauf verlassen?',
    what: 'Öffnen Sie einen Lauf dieses Geräts, oder ziehen Sie einen exportierten Lauf irgendwo hierher oder fügen Sie ihn ein. Sechs Prüfungen zeigen, welche seiner Einträge intakt sind, und nennen den ersten, der es nicht ist. Die Datei wird in dieser Seite gelesen und verlässt das Gerät nie.',
    noRun: 'Auf diesem Gerät ist noch kein Lauf.',
    make: 'Einen Lauf beginnen',
    runs: 'Läufe auf diesem Gerät',
  },

  checks: {
    title: 'Prüfungen',
    names: {
      form: 'Form: Die Datei ist wohlgeformt',
      hashes: 'Hashes: Kein Eintrag wurde verändert',
      links: 'Verkettung: Keiner fehlt oder steht woanders',
      anchor: 'Anker: Sie hat den angegebenen Kopf',
      decisions: 'Entscheidungen: Neu getroffen fallen sie gleich aus',
      replay: 'Wiederholung: Neu ausgeführt tut der Lauf dasselbe',
    },
    parts: { fuel: 'Fuel jedes Aufrufs', heap: 'Heap jedes Aufrufs' },
    counted: {
      form: (lines) => plural(lines, { one: '# Zeile', other: '# Zeilen' }),
      hashes: (hashes) => plural(hashes, { one: '# Hash', other: '# Hashes' }),
      links: (records) => plural(records, { one: '# Eintrag', other: '# Einträge' }),
      anchor: (anchors) => plural(anchors, { one: '# Anker', other: '# Anker' }),
      decisions: (decisions) => plural(decisions, { one: '# Entscheidung', other: '# Entscheidungen' }),
      replay: (records) => plural(records, { one: '# Eintrag', other: '# Einträge' }),
    },
    notRun: 'nicht gemacht',
    needs: {
      anchor: 'Nicht gemacht. Braucht einen Kopf, den Sie notiert haben.',
      decisions: 'Braucht Einträge, die intakt sind.',
      replay: 'Braucht intakte Einträge und übereinstimmende Entscheidungen. Drücken Sie „Noch einmal ausführen“.',
    },
    held: 'Nicht gemacht: Ein Link hat diesen Lauf gebracht. Drücken Sie „Entscheidungen prüfen“.',
    underWay: 'Läuft …',
    skipped: (skipped, seq) => `${number(skipped)} nicht geprüft. Eintrag ${number(seq)}: `,
    recorded: 'festgehalten',
    again: 'neu',
    decide: 'Entscheidungen prüfen',
    makeChecks: 'Prüfungen machen',
    runAgain: 'Noch einmal ausführen',
    runOnceMore: 'Ein weiteres Mal ausführen',
    anchor: 'Kopf, den Sie anderswo notiert haben; oder öffnen Sie einen Checkpoint',
    anchorForm: 'Anzahl:Kopf, oder nur der Kopf',
    noted: 'Der Kopf dieser Datei, um ihn anderswo aufzubewahren:',
    head: 'Kopf',
    command: 'Befehl',
    commandHint: 'Dieselben Prüfungen, auf einem Rechner, der dieser Seite nicht vertraut:',
    copy: 'Kopieren',
    copied: 'Kopiert.',
  },

  chain: {
    title: 'Kette',
    record: (seq, standing) => `Eintrag ${number(seq)}, ${standing}`,
    standings: { intact: 'intakt', altered: 'verändert', unproven: 'nicht gesichert' },
    none: 'Kein Eintrag ist lesbar.',
    whole: (last) => `Die Einträge 0 bis ${number(last)} passen zusammen.`,
    intact: (last) => `Die Einträge 0 bis ${number(last)} sind intakt. `,
    first: (seq) => `Eintrag ${number(seq)} ist der erste, der nicht stimmt.`,
    after: (from, last) => ` Auf die Einträge ${number(from)} bis ${number(last)} ist kein Verlass.`,
    drawn: (from, to, records) =>
      `Gezeichnet sind die Einträge ${number(from)} bis ${number(to)} von ${number(records)}: 400 um den gewählten.`,
    number: 'Nummer des Eintrags',
    go: 'Gehen',
  },

  happened: {
    title: 'Was geschehen ist',
    ledger: 'Protokoll der offenen Datei',
    record: 'Der gewählte Eintrag',
    task: 'Aufgabe',
    noText: 'Nicht in dieser Datei: weggelassen oder entfernt.',
    outcome: 'Ergebnis',
    noEnd: 'Der Lauf hat in dieser Datei kein Ende.',
    said: 'Letzte Worte',
    model: 'Modell',
    time: 'Zeit',
    size: 'Umfang',
    steps: (steps, records) =>
      `${plural(steps, { one: '# Schritt', other: '# Schritte' })}, ${plural(records, { one: '# Eintrag', other: '# Einträge' })}`,
  },

  find: {
    label: 'Suchen',
    hint: 'Wörter, oder wie ein Hash beginnt',
    seeking: 'Wird gesucht …',
    none: 'Kein Eintrag, Text oder Hash dieser Datei hat das.',
    places: (places) => plural(places, { one: '# Stelle', other: '# Stellen' }),
    somePlaces: (found, places) => `Die ersten ${number(found)} von ${number(places)} Stellen`,
    inRecord: (seq, kind) => `Eintrag ${number(seq)} (${kind})`,
  },

  tasks: {
    reading: 'Die Datei wird gelesen …',
    checks: 'Form, Hashes und Verkettung werden geprüft …',
    decisions: 'Die Entscheidungen werden neu getroffen …',
    replay: 'Der Lauf wird noch einmal ausgeführt …',
    falsifying: 'Die Kopie wird gefälscht …',
  },
  cancel: 'Abbrechen',
  stopped: 'Die Prüfungen wurden abgebrochen.',

  record: {
    title: (seq) => `Eintrag ${number(seq)}`,
    hashes: (stored, comes) =>
      html`Gespeichert als <span class="mono">${stored}</span>, berechnet als <span class="mono">${comes}</span>`,
    difference: (at, was, is) =>
      html` Byte ${at}: war <span class="mono">${was}</span>, ist <span class="mono">${is}</span>`,
    end: 'das Ende',
    tree: 'Baum',
  },

  falsify: {
    title: 'Kopie fälschen',
    undo: 'Rückgängig',
    done: (word, hint) => `${word}: ${hint}`,
    ways: {
      flipByte: { word: 'Byte ändern', hint: 'Ändert ein einzelnes Zeichen dieses Eintrags.' },
      deleteRecord: { word: 'Eintrag löschen', hint: 'Entfernt diesen Eintrag.' },
      swapRecords: { word: 'Zwei vertauschen', hint: 'Vertauscht diesen Eintrag mit dem nächsten.' },
      cutEnd: {
        word: 'Ende abschneiden',
        hint: 'Entfernt die letzten Einträge und korrigiert die Endzeile. Nur ein Kopf, der verwahrt wurde, zeigt die Änderung.',
      },
      changeDecision: {
        word: 'Entscheidung ändern',
        hint: 'Ändert eine Entscheidung und jeden Hash. Die Entscheidung folgt dann nicht mehr aus den Einträgen davor.',
      },
      changeCost: {
        word: 'Kosten ändern',
        hint: 'Senkt die festgehaltenen Kosten eines Aufrufs und berechnet jeden Hash neu. Nur ein erneutes Ausführen zeigt die Änderung.',
      },
      rewriteChain: {
        word: 'Kette neu schreiben',
        hint: 'Ändert den Namen des Modells und berechnet jeden Hash neu. Nur ein Kopf, der verwahrt wurde, zeigt die Änderung.',
      },
    },
  },

  pasted: 'der eingefügte Text',
};

export const audit: AuditTexts = {
  run: (id) => `Lauf ${id}`,
  empty: 'Die Datei ist leer.',
  noRecord: (name) =>
    `${name} enthält keinen Eintrag eines Laufs. Öffnen Sie, was Exportieren gespeichert hat, oder eine Seite, die hier gespeichert wurde.`,
  still: (name) => ` Unten steht weiterhin ${name}.`,
  tooLarge: (bytes, megabytes) =>
    `Zu groß: ${number(bytes)} Bytes, die Grenze sind ${megabytes} MB. Verwenden Sie die Befehlszeile.`,
  unfoldsTooFar: (megabytes) =>
    `Diese gespeicherte Seite entfaltet sich auf mehr als ${megabytes} MB. Verwenden Sie die Befehlszeile.`,
  hashes: {
    record: (seq, kind) => `Eintrag ${seq} (${kind}), sein Body über dessen Hash`,
    body: (seq, kind) => `der Body von Eintrag ${seq} (${kind})`,
    nothing: 'nichts: Vor dem ersten Eintrag gibt es keinen',
    previous: (seq) => `Eintrag ${seq}, vom nächsten genannt`,
    head: 'der letzte Eintrag, von der Endzeile genannt',
    root: 'alle Einträge als Merkle-Baum, von der Endzeile genannt',
    payload: (path, seq) => `die Bytes der Payload „${path}“ von Eintrag ${seq}`,
    member: (path, seq) => `${path}, in Eintrag ${seq}`,
  },
};

export const savedPage: SavedPageTexts = {
  title: 'Sallyport-Lauf',
  checks: auditView.checks.names,
  checking: 'Dieser Lauf wird geprüft …',
  notRun: 'nicht gemacht',
  notInPage: 'nicht in einer Seite',
  record: 'Eintrag {seq}: ',
  head: 'Kopf {records}:{head}',
  headField: 'Der Kopf, den Sie notiert haben: ANZAHL:KOPF, oder ein Checkpoint',
  elsewhere:
    'Diese Seite kann die Entscheidungen und die Aufrufe nicht noch einmal machen. Öffnen Sie dazu diese Datei unter „Prüfung“ in Sallyport, oder rufen Sie npx sallyport replay DATEI auf.',
  happened: 'Was geschehen ist',
  records: 'Einträge',

  story: {
    missing: '(nicht in dieser Datei)',
    quoted: '„{text}“',
    began: 'Begonnen mit dem Modell {model}, im Dialekt {dialect}',
    task: 'Aufgabe: {text}',
    refused: 'Schritt {step}: abgewiesen bei der Schranke {gate} ({code})',
    valid: 'Schritt {step}: verlangte {capability} und war gültig',
    nothing: 'nichts',
    watched: 'Schritt {step}: {capability} ist durch eine Beobachtung erlaubt, und durch keine eigene Freigabe',
    mustAsk: 'Schritt {step}: {capability}: Eine Person muss gefragt werden',
    denied: 'Schritt {step}: {capability}: verweigert ({code})',
    asked: 'Schritt {step}: Eine Person wurde zu {capability} gefragt',
    yes: 'Schritt {step}: ja',
    no: 'Schritt {step}: nein: {text}',
    receipt: 'Schritt {step}, Ergebnis: {status}',
    receiptCode: 'Schritt {step}, Ergebnis: {status} ({code})',
    ended: 'Beendet: {state}',
    endedCode: 'Beendet: {state} ({code})',
    tally: records.tally,
  },
};
