import { html } from 'lit';
import type { BreakoutTexts } from '../en/breakout.ts';
import { number, plural } from '../intl.ts';

export const breakout: BreakoutTexts = {
  title: 'Ausbruch',
  attacks: 'Angriffe',
  groups: { guest: 'Feindlicher Code, in der Sandbox', proposal: 'Feindliche Vorschläge, an den Schranken' },
  score: (left, tried) =>
    html`Aus der Sandbox gelangt: <strong class=${left === 0 ? '' : 'bad'}>${number(left)}</strong> von ${plural(tried, { one: '# Versuch', other: '# Versuchen' })}`,
  pause: (ms) => ` · diese Seite wartete nie länger als ${number(ms)} ms`,
  progress: (done, of) => `${number(done)} von ${number(of)} `,
  save: 'Protokoll speichern',
  runAll: (attempts) => `Alle ${number(attempts)} ausführen`,
  cancel: 'Abbrechen',
  faces: { underWay: 'läuft', notTried: 'nicht versucht', held: 'abgewehrt', unexpected: 'nicht wie erwartet' },
  try: 'Versuchen',
  tryAgain: 'Noch einmal versuchen',
  proposalBytes: 'Der Vorschlag, Byte für Byte',
  proposal: 'Vorschlag',
  guestSource: 'Der Quelltext des Gasts',
  source: 'Quelltext',
  reached: (names) => html`Erreicht wurde: ${names}.`,
  ranToEnd: 'Der Code lief bis zu seinem Ende und hat keinen verbotenen Namen erreicht.',
  gates: 'Schranken dieses Angriffs',
  stoppedBy: 'Gestoppt durch',
  notStopped: 'nicht gestoppt',
  where: 'Wo',
  nowhere: 'nirgends',
  next: 'Der nächste Aufruf',
  nextGood: (ms) => `ging durch, auf einem frischen Heap, ${number(Math.round(ms))} ms`,
  nextBad: (ms) => `ist gescheitert, ${number(Math.round(ms))} ms`,
  told: 'Was dem Modell gesagt wird',
  reply: 'Antwort an das Modell',
};
