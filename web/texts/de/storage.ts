import type { StorageTexts } from '../en/storage.ts';

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
