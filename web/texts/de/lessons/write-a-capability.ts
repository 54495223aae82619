import type { WriteACapabilityTexts } from '../../en/lessons/write-a-capability.ts';

export const writeACapability: WriteACapabilityTexts = {
  title: 'Eine Fähigkeit schreiben',
  goal: 'Die Schemas von loaf.price stimmen, sein Code nicht. Ein Brot kostet 340 Pence, und eines von zwölf ist gratis. Bringen Sie es in Ordnung.',
  predict: {
    question: 'Der Code liefert den Text "1020", wo sein Schema integer verlangt. Was sieht das Modell?',
    answers: ['"1020"', '1020', 'Einen Fehler: Das Ergebnis wird verworfen.'],
    because:
      'Ergebnisse werden geprüft wie Argumente. Ein Ergebnis, das nicht zu seinem Schema passt, wird verworfen und dem Modell nie gezeigt.',
  },
  starters: { three: '3 Brote', twelve: '12 Brote', many: '500 Brote', none: 'keine Brote' },
  tasks: {
    refused: {
      say: 'Sehen Sie, wie das Schema das Ergebnis ablehnt.',
      hint: 'Fragen Sie nach drei Broten, bevor Sie etwas ändern.',
    },
    right: {
      say: 'Berichtigen Sie den Code, bis die Preise für 3, 12 und 500 Brote stimmen.',
      hint: 'Von 12 Broten zahlen Sie 11, von 500 zahlen Sie 459.',
    },
    none: {
      say: 'Gar keine Brote: abgelehnt, bevor Ihr Code überhaupt beginnt.',
      hint: 'minimum ist 1.',
    },
  },
  why: 'Die Schemas prüfen jeden Aufruf vor und nach Ihrem Code, daher muss Ihr Code weniger prüfen. Geänderter Code ist eine andere Fähigkeit, mit einem anderen Hash.',
};
