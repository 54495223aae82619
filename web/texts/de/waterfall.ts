import type { WaterfallTexts } from '../en/waterfall.ts';
import { number, plural } from '../intl.ts';

export const waterfall: WaterfallTexts = {
  label: 'Zeit jedes Schritts',
  totals: 'Zeit aller Schritte',
  scale: 'Maßstab',
  scales: { run: 'Ganzer Lauf', step: 'Jeder Schritt' },
  parts: { model: 'Modell', gates: 'Schranken', sandbox: 'Sandbox', person: 'Person', disk: 'Speicher' },
  none: 'Kein Schritt zu zeigen.',
  betweenSteps: 'Die Zeit zwischen den Schritten ist weggelassen.',
  fromRecords:
    'Schritte, die vor dem Öffnen dieser Seite liefen, haben die Zeiten ihrer Einträge: Dort enthält die Zeit des Modells auch Leerlauf, und die Zeit des Speichers steckt in den anderen Teilen.',
  newest: (shown, all) =>
    `${plural(shown, { one: 'Der neueste Schritt', other: 'Die neuesten # Schritte' })} von ${number(all)}. Ein Filter wie seq:0-900 zeigt andere.`,
  inSteps: (steps) => `in ${plural(steps, { one: '# Schritt', other: '# Schritten' })}`,
  byRecords: (duration) => `${duration} laut den Einträgen`,
};
