import type { BreakOutTexts } from '../../en/lessons/break-out.ts';

export const breakOut: BreakOutTexts = {
  title: 'Ausbruch',
  goal: 'Zwölf Angriffe sind registriert, eingeschaltet und freigegeben, also laufen sie. Raten Sie, was jeden Angriff beendet, sehen Sie es dann, und sehen Sie, was er zurücklässt.',
  predict: {
    question: 'Ein Gast hängt in nativem Code, wo kein Fuel gezählt wird. Was stoppt ihn?',
    answers: [
      'Nichts: Die Seite friert ein.',
      'Sein Fuel geht aus.',
      'Ein Watchdog beendet seinen Worker, und ein Ersatz macht weiter.',
    ],
    because:
      'Fuel zählt die Operationen im eigenen Code des Gasts. Für nativen Code gibt es eine Frist, und ein Watchdog beendet den Worker, der sie überschreitet.',
  },
  honest: 'Ein ehrlicher Aufruf',
  says: {
    loop: 'Verbrauchen Sie das ganze Fuel.',
    native: 'Bleiben Sie in nativem Code hängen: Der Worker wird beendet.',
    memory: 'Verbrauchen Sie den ganzen Arbeitsspeicher.',
    stack: 'Verbrauchen Sie den ganzen Stack.',
    promises: 'Stoßen Sie an eine andere Grenze als Fuel: Promise-Jobs.',
    output: 'Geben Sie mehr Bytes zurück, als eine Antwort haben darf.',
    console: 'Schreiben Sie mehr in die Konsole, als sie fassen darf.',
    globals: 'Suchen Sie einen Ausweg. Der Angriff läuft bis zum Ende und findet keinen.',
    pollute: 'Ändern Sie jeden Prototyp, und machen Sie dann einen ehrlichen Aufruf: Sein Heap ist wie neu.',
  },
  thenHonest: (attack) => `${attack}, dann ein ehrlicher Aufruf`,
  why: 'Jeder Aufruf beginnt mit demselben Speicher, Byte für Byte. Der Host erzwingt die Grenzen von außen, daher kann sich Code in der Sandbox nicht herausreden.',
};
