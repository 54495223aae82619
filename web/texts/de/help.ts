import type { HelpTexts } from '../en/help.ts';

export const help: HelpTexts = {
  title: 'Tasten',
  close: 'Schließen',
  escape: 'Schließt, was offen ist; beendet nie einen Lauf',
  send: 'Ihren Vorschlag senden',
  edge: 'Den Rand einer Spalte verschieben, solange er den Fokus hat',
  letters: 'Einzelne Buchstaben wirken',
  noKey: 'Das Genehmigen hat mit Absicht keine eigene Taste.',
  documentation: 'Dokumentation (englisch)',
  beTheModel: 'Seien Sie das Modell',
  walkthrough: 'Was die Seite zeigt',
};
