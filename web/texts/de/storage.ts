import { html } from 'lit';
import type { StorageTexts } from '../en/storage.ts';
import type { StorageDialogTexts } from '../en/storage-dialog.ts';
import { number, plural } from '../intl.ts';

export const storage: StorageTexts = {
  restored:
    'Der Browser hat die Datenbank des Protokolls verloren: Jeder Eintrag wurde aus ihren privaten Dateien wiederhergestellt und geprüft.',
  lost: 'Der Browser hat das Protokoll verloren (log_lost), und seine privaten Dateien haben nicht alles davon. Eine neue Epoche beginnt; ihr erster Eintrag nennt, was verloren ging. Ältere Läufe gibt es nur noch in Ihren Exporten.',
  cut: 'Das Einspielen einer Sicherung wurde abgebrochen. Dieses Protokoll ist unversehrt, wie es vorher war: Wählen Sie die Datei noch einmal.',
  inBrowser: (mirror) =>
    `Läufe werden in diesem Browser aufbewahrt.${mirror} Sie gehen an keinen Server. Exportieren Sie die Läufe, die Sie nicht verlieren dürfen.`,
  mirrors: {
    opfs: ' Sie liegen in den privaten Dateien dieser Origin, mit einem Index in IndexedDB.',
    none: ' Sie liegen nur in IndexedDB: Dieser Browser hat keine privaten Dateien.',
  },
  inDirectory: 'Läufe werden in einem Verzeichnis aufbewahrt.',
  inMemory: (reason) =>
    `Läufe liegen nur im Arbeitsspeicher und enden mit diesem Tab. Exportieren Sie die Läufe, die Sie nicht verlieren dürfen. ${reason}`,
};

export const storageDialog: StorageDialogTexts = {
  title: 'Auf diesem Gerät aufbewahrt',
  close: 'Schließen',
  stop: 'Anhalten',
  beginAnew: 'Neu beginnen',
  keepThis: 'Um Aufbewahrung bitten',
  runs: (runs) => plural(runs, { one: '# Lauf', other: '# Läufe' }),
  noRuns: 'Noch kein Lauf hat einen Schritt gemacht.',
  runsLabel: 'Läufe',
  choose: (run) => `${run} auswählen`,
  chooseAll: (runs) => `Alle ${number(runs)} auswählen`,
  chosen: (chosen) => `${number(chosen)} ausgewählt`,
  openHere: 'hier offen: beenden Sie ihn zuerst',
  look: 'Inhalt',
  lookAtRun: (date) => `Inhalt: Lauf vom ${date}`,
  files: {
    title: 'Dateien und Modelle',
    added: 'Hinzugefügte Dateien',
    amount: (files, size) =>
      files === 0 ? 'keine' : `${plural(files, { one: '# Datei', other: '# Dateien' })}, ${size}`,
    model: 'Modell',
    smallModel: 'Das kleine Modell, bei den Dateien dieser Seite',
    page: 'Alle Dateien dieser Seite, für die Nutzung ohne Netz',
    noModel: 'Hier ist kein Modell gespeichert.',
  },
  archive: 'Archivieren',
  archiveRun: (date) => `Archivieren: Lauf vom ${date}`,
  erase: 'Entfernen …',
  eraseRun: (date) => `Entfernen, was gesagt wurde: Lauf vom ${date}`,
  delete: 'Löschen …',
  deleteRun: (date) => `Löschen: Lauf vom ${date}`,
  stored: 'Von Fähigkeiten gespeichert',
  values: (values) => plural(values, { one: '# Wert', other: '# Werte' }),
  forget: 'Vergessen …',
  forgetStored: (capability) => `Vergessen, was ${capability} gespeichert hat`,
  everything: 'Alles',
  saveBackup: 'Sicherung speichern',
  restoreBackup: 'Sicherung einspielen',
  deleteEverything: 'Alles löschen …',
  checkLog: 'Das ganze Protokoll prüfen',
  checkAgainst: 'Gegen einen Checkpoint prüfen',
  backupIs: 'Eine Sicherung ist eine Datei mit jedem Eintrag, jedem Byte und jeder Zeile. Sie ist nicht verschlüsselt.',
  promised: 'Der Browser hat versprochen, es nicht zu verdrängen.',
  mayEvict: 'Der Browser darf es verdrängen.',
  used: (used, quota) => ` ${used} von ${quota} sind belegt.`,

  ask: {
    goes: 'Geht',
    stays: 'Bleibt',
    archiveFirst: 'Vorher archivieren',
    backUpFirst: 'Vorher eine Sicherung speichern',
    type: (word) => html`Tippen Sie <strong>${word}</strong>, um fortzufahren`,
    leave: 'Alles lassen, wie es ist',
    delete: {
      title: (run) => `Den Lauf ${run} löschen?`,
      titleOfMany: (runs) => `${number(runs)} Läufe löschen?`,
      goes: (records) =>
        `${plural(records, { one: '# Eintrag', other: '# Einträge' })} und jedes Byte, das sie nennen, und der Speicher eines Aufrufs, der wartete, aus der Datenbank und aus den privaten Dateien. Das lässt sich nicht rückgängig machen.`,
      stays:
        'Die Hashes seiner Einträge im Baum des Protokolls und ein Eintrag, dass er gelöscht wurde. Alle anderen Läufe lassen sich weiter prüfen, ebenso eine exportierte Datei dieses Laufs. Was seine Fähigkeiten gespeichert haben, bleibt: Entfernen Sie vorher, was im Lauf gesagt wurde, um es mitzunehmen.',
      word: 'löschen',
      act: 'Diesen Lauf löschen',
      actOnMany: (runs) => `${number(runs)} Läufe löschen`,
    },
    erase: {
      title: (run) => `Entfernen, was im Lauf ${run} gesagt wurde?`,
      titleOfMany: (runs) => `Entfernen, was in ${number(runs)} Läufen gesagt wurde?`,
      goes: 'Die Bytes von Aufgabe, Vorschlägen, Argumenten, Ergebnissen und Antworten und der Speicher eines Aufrufs, der wartete, aus der Datenbank und aus den privaten Dateien. Das lässt sich nicht rückgängig machen.',
      stays:
        'Seine Einträge und alle Hashes: Form, Hashes, Verkettung und Anker lassen sich weiter prüfen. Entscheidungen und Wiederholung melden, dass ihre Daten fehlen. Eine Datei dieses Laufs, wenn Sie eine haben, ist weiter vollständig.',
      word: 'entfernen',
      act: 'Entfernen, was gesagt wurde',
      actOnMany: (runs) => `Entfernen, was in ${number(runs)} Läufen gesagt wurde`,
    },
    storedToo: (values) =>
      plural(values, {
        one: 'Auch # Wert, den der Lauf als letzter gespeichert hat',
        other: 'Auch # Werte, die der Lauf als letzter gespeichert hat',
      }),
    forget: {
      title: (capability) => `Vergessen, was ${capability} gespeichert hat?`,
      goes: (values) =>
        `${plural(values, { one: 'Ihr # Wert', other: 'Alle ihre # Werte' })}, aus der Datenbank und aus den privaten Dateien. Das lässt sich nicht rückgängig machen.`,
      stays:
        'Die Vermerke, dass sie einmal private oder fremde Daten gespeichert hat, damit eine leere Stelle nichts verrät, und ein Eintrag, wie viele Werte entfernt wurden. Die Läufe, die die Werte gelesen oder gespeichert haben, behalten ihre Texte: Entfernen Sie auch diese.',
      word: 'vergessen',
      act: 'Vergessen, was sie gespeichert hat',
    },
    replace: {
      title: (backup) => `Alles durch ${backup} ersetzen?`,
      goes: (runs) =>
        `Dieses Protokoll hat andere Einträge als die Sicherung, und Protokolle lassen sich nicht mischen: Alles auf diesem Gerät geht, ${plural(runs, { one: '# Lauf', other: '# Läufe' })} und was dazugehört.`,
      stays:
        'Die Sicherung, die geprüft wurde, tritt an die Stelle, sobald sie vollständig danebenliegt; bis dahin können Sie anhalten. Speichern Sie vorher eine Sicherung von dem, was hier ist, wenn Sie es vielleicht noch brauchen.',
      word: 'ersetzen',
      act: 'Alles ersetzen',
    },
    everything: {
      title: 'Alles auf diesem Gerät löschen?',
      goes: (runs) =>
        `${plural(runs, { one: '# Lauf', other: 'Alle # Läufe' })}, die Dateien, die Sie hinzugefügt haben, was Fähigkeiten aufbewahrt haben, die privaten Dateien und ihr Zeuge, der Schlüssel, der Checkpoints signiert, Entwürfe und der Fortschritt der Lektionen. Das lässt sich nicht rückgängig machen.`,
      stays:
        'Ihre Exporte, Sicherungen und anderen gespeicherten Dateien. Sie lassen sich weiter prüfen, aber dieses Gerät hat ihre Läufe nicht mehr.',
      word: 'alles löschen',
      act: 'Alles löschen',
    },
  },

  tasks: {
    under: (task) => `${task} …`,
    asking: 'Der Browser wird gefragt',
    promised: 'Der Browser hat versprochen, es aufzubewahren.',
    noPromise: 'Der Browser verspricht nichts. Er entscheidet selbst, oft danach, wie viel eine Seite genutzt wird.',
    looking: 'Der Lauf wird angesehen',
    holds: (run, records) => `Der Lauf ${run} enthält ${plural(records, { one: '# Eintrag', other: '# Einträge' })}.`,
    heldTexts: (texts, kept, secret, values) =>
      `Texte: ${texts}; private Texte: ${kept}; geheime Texte: ${secret}. Gespeicherte Werte seiner Fähigkeiten: ${number(values)}.`,
    archived: (hash) =>
      `In eine Datei mit SHA-256 ${hash}… archiviert, die das Protokoll vermerkt hat. Es wurde nichts weggenommen.`,
    checking: 'Das ganze Protokoll wird geprüft',
    whole: (records) => `Das Protokoll ist vollständig: ${plural(records, { one: '# Eintrag', other: '# Einträge' })}.`,
    wholeAgainst: (records) =>
      `Das Protokoll ist vollständig: ${plural(records, { one: '# Eintrag', other: '# Einträge' })}, und es ist das Protokoll des Checkpoints.`,
    notWhole: (problems) => `Das Protokoll ist nicht vollständig. ${problems}`,
    altered: (runs) => ` Verändert: ${runs}.`,
    backingUp: 'Eine Sicherung wird erstellt',
    backedUp:
      'Die Sicherung liegt bei Ihren Downloads. Sie ist nicht verschlüsselt: Wer die Datei hat, kann sie lesen.',
    reading: 'Die Sicherung wird gelesen',
    restored:
      'Eingespielt: Jeder Eintrag wurde geprüft. Ihre Läufe lassen sich lesen, und keiner von ihnen wird fortgesetzt.',
    replacing: 'Wird ersetzt',
    replaced: 'Durch die Sicherung ersetzt.',
    deleting: 'Wird gelöscht',
    deletedEverything: 'Alles wurde gelöscht. In diesem Browser sind keine Daten davon mehr.',
    removing: 'Wird weggenommen',
    erased: 'Entfernt. Seine Einträge und ihre Hashes bleiben und lassen sich weiter prüfen.',
    erasedMany: (done, all) =>
      `Entfernt in ${number(done)} von ${number(all)} Läufen. Ihre Einträge und Hashes bleiben und lassen sich weiter prüfen.`,
    deletedMany: (done, all) =>
      `${number(done)} von ${number(all)} Läufen gelöscht. Die Hashes ihrer Einträge bleiben im Baum des Protokolls.`,
    deleted: (hashes) =>
      `Gelöscht. ${number(hashes)} Hashes davon bleiben im Baum des Protokolls, damit sich alles andere weiter prüfen lässt.`,
    forgotten: 'Vergessen.',
    values: (values) =>
      plural(values, { one: ' # gespeicherter Wert wurde entfernt.', other: ' # gespeicherte Werte wurden entfernt.' }),
    otherTabs: (tabs) =>
      plural(tabs, {
        one: ' # anderer Tab dieser Seite antwortet nicht und hält noch etwas davon: Dort wird es entfernt, wenn der Tab weiterläuft oder wenn nach seinem Schließen diese Seite das nächste Mal geöffnet wird.',
        other:
          ' # andere Tabs dieser Seite antworten nicht und halten noch etwas davon: Dort wird es entfernt, wenn diese Tabs weiterlaufen oder wenn nach ihrem Schließen diese Seite das nächste Mal geöffnet wird.',
      }),
    stopped: 'Angehalten. Es wurde nichts geändert.',
    failed: (why) => `${why} Es wurde nichts geändert.`,
  },
};
