import type { RewritingTexts } from '../en/rewriting.ts';
import { plural } from '../intl.ts';

export const rewriting: RewritingTexts = {
  goes: 'entfällt: ',
  comes: 'neu: ',
  noText: 'Kein aktueller Text hat den Hash, den das Modell nennt. Dieser Schreibvorgang würde deshalb abgelehnt.',
  written: 'Was geschrieben würde',
  title: 'Vorher und nachher',
  removed: (lines) => `− ${plural(lines, { one: '# Zeile', other: '# Zeilen' })}`,
  added: (lines) => `+ ${plural(lines, { one: '# Zeile', other: '# Zeilen' })}`,
  equal: 'Der neue Text ist gleich dem alten.',
  rest: (lines) => plural(lines, { one: '# Zeile unverändert', other: '# Zeilen unverändert' }),
  blanks: (blanks) => plural(blanks, { one: '# Leerzeichen', other: '# Leerzeichen' }),
  noLineEnd: 'ohne Zeilenende',
};
