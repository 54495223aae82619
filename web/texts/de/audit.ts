import type { AuditTexts } from '../en/audit.ts';
import { number } from '../intl.ts';

export const audit: AuditTexts = {
  run: (id) => `Lauf ${id}`,
  empty: 'Die Datei ist leer.',
  noRecord: (name) =>
    `${name} enthält keinen Eintrag eines Laufs. Öffnen Sie, was Exportieren gespeichert hat, oder eine Seite, die hier gespeichert wurde.`,
  still: (name) => ` Unten steht weiterhin ${name}.`,
  tooLarge: (bytes, megabytes) =>
    `Zu groß: ${number(bytes)} Bytes, die Grenze sind ${megabytes} MB. Verwenden Sie die Befehlszeile.`,
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
