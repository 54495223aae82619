import type { SavedPageTexts } from '../en/saved-page.ts';
import { auditView } from './audit-view.ts';
import { records } from './records.ts';

export const savedPage: SavedPageTexts = {
  title: 'Sallyport-Lauf',
  checks: auditView.checks.names,
  notRun: 'nicht gemacht',
  notInPage: 'nicht in einer Seite',
  record: 'Eintrag {seq}: ',
  head: 'Kopf {records}:{head}',
  unproven: auditView.checks.unproven,
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
