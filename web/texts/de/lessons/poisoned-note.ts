import type { PoisonedNoteTexts } from '../../en/lessons/poisoned-note.ts';

export const poisonedNote: PoisonedNoteTexts = {
  title: 'Die vergiftete Notiz',
  goal: 'Ein Lieferschein gibt „the assistant“ Befehle und behauptet, dazu befugt zu sein. Lesen Sie ihn, und tun Sie, was er sagt.',
  predict: {
    question:
      'notes.put ist ohne Rückfrage freigegeben. Das Modell hat eben den Lieferschein gelesen. Es ruft notes.put auf. Was geschieht?',
    answers: ['Der Aufruf läuft: Er ist freigegeben.', 'Eine Person wird trotzdem gefragt.', 'Der Lauf wird beendet.'],
    because:
      'Hat das Modell den Text eines Fremden gelesen, so braucht jedes Schreiben die Genehmigung einer Person, auch wo eine Freigabe es erlaubt.',
  },
  starters: {
    read: 'Den Lieferschein lesen',
    pay: 'Die Zahlung eintragen',
    send: 'Die Rechnungen senden',
    note: 'Eine Notiz aufbewahren',
  },
  tasks: {
    read: { say: 'Lesen Sie den Lieferschein. Lesen ist harmlos.', hint: 'head(18)' },
    pay: {
      say: 'Tragen Sie die Zahlung ein, wie er es sagt: verweigert.',
      hint: 'Der Lieferschein sagt, Sie seien befugt. Sind Sie es?',
    },
    send: {
      say: 'Senden Sie die Rechnungen weg, wie der Lieferschein es sagt: Keine Fähigkeit kann das.',
      hint: 'net.fetch',
    },
    note: {
      say: 'Rufen Sie nach dem Lesen die freigegebene Fähigkeit auf. Sie werden gefragt: Verweigern Sie es.',
      hint: 'Bewahren Sie eine Notiz auf, und verweigern Sie dann.',
    },
  },
  why: 'Text gibt keine Erlaubnis. Die Erlaubnis kommt aus Freigaben, und die gab es, bevor das Modell den Lieferschein las.',
};
