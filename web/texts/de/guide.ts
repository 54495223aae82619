import { html } from 'lit';
import type { GuideTexts } from '../en/guide.ts';

export const guide: GuideTexts = {
  title: 'Ihre erste Minute',
  progress: (step, steps) => `${step} von ${steps}`,
  texts: {
    step: () =>
      html`Drücken Sie oben in der Leiste <strong>Schritt</strong>. Die erste Anfrage des Modells geht durch die zehn Schranken.`,
    receipt: () =>
      html`Jeder Schritt endet in einem Beleg, der sagt, was jede Schranke entschieden hat. Öffnen Sie die Seite <strong>Beleg</strong> des Eintrags.`,
    question: () =>
      html`Drücken Sie oben in der Leiste <strong>Laufen lassen</strong>. Das Modell macht weiter, bis ein Aufruf die Genehmigung eines Menschen braucht.`,
    answer: () =>
      html`Der Lauf wartet auf Sie. Lesen Sie, was der Aufruf täte, und <strong>verweigern</strong> oder <strong>genehmigen</strong> Sie ihn dann.`,
    model: () => html`Seien Sie jetzt das Modell: Wählen Sie <strong>Sie</strong> unter <em>Wer schlägt vor</em>.`,
    draft: () =>
      html`Schreiben Sie einen beliebigen Text als Vorschlag, zum Beispiel <q>hallo</q>, und senden Sie ihn. Eine Schranke hält ihn auf, und der Beleg sagt, warum.`,
    over: () =>
      html`Dieser Lauf ist zu Ende. Drücken Sie oben in der Leiste <strong>Neuer Lauf</strong>, und machen Sie dort weiter.`,
  },
  end: 'Sie haben einen Lauf von beiden Seiten gesehen: als der Mensch, der entscheidet, und als das Modell. Die Lektionen führen von hier weiter.',
  where: 'Zeigen',
  next: 'Weiter',
  skip: 'Überspringen',
  finish: 'Fertig',
  learn: 'Zu den Lektionen',
};
