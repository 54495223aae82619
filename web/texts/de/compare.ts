import { byteCount } from '../amounts.ts';
import type { CompareTexts } from '../en/compare.ts';
import { number, plural } from '../intl.ts';

export const compare: CompareTexts = {
  title: 'Zwei Läufe vergleichen',
  close: 'Schließen',
  other: 'Ein anderer Lauf auf diesem Gerät',
  none: 'Auf diesem Gerät ist keiner',
  choose: 'Wählen Sie einen Lauf',
  file: 'Eine Datei …',
  hint: 'Der offene Lauf wird mit dem Lauf verglichen, den Sie wählen. Ids, Zufallszahlen und Zeiten bleiben außer Betracht.',
  showEqual: 'Auch gleiche Schritte zeigen',
  differences: 'Unterschiede',
  openRun: 'Der offene Lauf',
  theRun: 'Der Lauf',
  more: (next, rest) =>
    `${number(next)} weitere von ${plural(rest, { one: '# Schritt', other: '# Schritten' })} zeigen`,
  noRun: 'Es ist kein Lauf offen.',
  comparing: 'Vergleich läuft …',
  same: (steps) => `Die Läufe stimmen über ${plural(steps, { one: '# Schritt', other: '# Schritte' })} überein.`,
  differ: (differing, steps) =>
    `Verschieden: ${number(differing)} von ${plural(steps, { one: '# Schritt', other: '# Schritten' })}.`,
  differingMembers: (members) => ` Dazu ${plural(members, { one: '# Member', other: '# Member' })} des Laufs selbst.`,
  failed: (name) => `${name} lässt sich nicht vergleichen: `,
  tooLarge: (bytes) => `Die Datei hat ${byteCount(bytes)}, die Grenze sind 64 MB.`,
  noRecord: 'Sie enthält keinen Eintrag eines Laufs.',
  noStep: 'kein solcher Schritt',
  leftOut: 'Nicht in diesem Lauf: weggelassen oder gelöscht.',
  noValue: 'keiner',
  characters: (characters) => plural(characters, { one: '# Zeichen', other: '# Zeichen' }),
};
