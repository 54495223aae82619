import { html } from 'lit';
import type { LabTexts } from '../en/lab.ts';
import { number } from '../intl.ts';

export const lab: LabTexts = {
  runEnded: 'Der Lauf ist zu Ende. Beginnen Sie einen anderen.',
  time: 'Zeit, hier und jetzt',
  powerCalls: 'Aufrufe von Befugnissen',
  fuel: 'Fuel, überall gleich',
  console: 'Konsole',
  firstLines: (shown, all) => html` <span class="soft">· die ersten ${number(shown)} von ${number(all)} Zeilen</span>`,

  stopped: {
    deadline: 'Eine Frist hat ihn gestoppt, daher ist es jedes Mal eine andere Zeile.',
    where: 'In welcher Zeile?',
    looking: 'Der Aufruf wird in einer eigenen Sandbox wiederholt …',
    thrown: (line, column) => `Geworfen in Zeile ${line}, Spalte ${column} des Quelltexts.`,
    unknown: 'Der wiederholte Aufruf hat seine Zeile nicht gezeigt.',
    about: (line, column) =>
      `Etwa Zeile ${line}, Spalte ${column} des Quelltexts. Der Aufruf wurde wiederholt und endete bei derselben Operation.`,
  },
};
