import type { ValidIsNotAllowedTexts } from '../../en/lessons/valid-is-not-allowed.ts';

export const validIsNotAllowed: ValidIsNotAllowedTexts = {
  title: 'Gültig heißt nicht erlaubt',
  goal: 'Schlagen Sie einen gültigen Aufruf ohne Freigabe vor. Wählen Sie dann die engste Freigabe, mit der Sie die Einkaufsliste noch aufbewahren dürfen.',
  predict: {
    question:
      'notes.put gibt es, es ist eingeschaltet, und seine Argumente stimmen. Eine Freigabe gibt es nicht. Was geschieht?',
    answers: ['Der Aufruf läuft: Er ist gültig.', 'Er wird bei authorize verweigert.', 'Eine Person wird gefragt.'],
    because: 'Ohne Freigabe wird ein Aufruf verweigert. Eine Person wird nur gefragt, wenn eine Freigabe das verlangt.',
  },
  choices: {
    none: 'Keine Freigabe',
    any: 'Jede Notiz, beliebig oft',
    narrow: 'Nur die Notiz namens shopping',
  },
  starters: { shopping: 'Die Einkaufsliste aufbewahren', other: 'Etwas anderes aufbewahren' },
  tasks: {
    denied: { say: 'Ohne Freigabe: verweigert, obwohl gültig.', hint: 'Senden Sie die Einkaufsliste, wie sie ist.' },
    narrow: {
      say: 'Mit der engsten Freigabe: Die Einkaufsliste wird aufbewahrt, und eine andere Notiz wird im selben Lauf verweigert.',
      hint: 'Probieren Sie unter jeder Freigabe beide Notizen aus.',
    },
  },
  why: 'Auch ein gültiger Aufruf braucht eine Freigabe. Eine Freigabe nennt eine Definition mit ihrem Hash und kann die Argumente einschränken.',
};
