import { html } from 'lit';
import type { IncidentTexts } from '../en/incidents.ts';

export const incidents: IncidentTexts = {
  group: 'Was geschehen ist: Vorfälle als Skripte',
  stage:
    'Postfach, Repository und die Orte draußen sind Funktionen dieser Seite, und nichts verlässt sie. Das Skript tut auf jede Weise, was der Angreifer will. Die Person sagt zu jeder Frage nein.',
  source: 'Quelle',
  noSource: 'Eine Art von Vorfall. Hier steht kein einzelner Bericht.',
  playAll: 'Auf drei Weisen abspielen',
  playAgain: 'Noch einmal abspielen',
  ways: { off: 'Wächter aus', on: 'Wächter an', held: 'Werte zurückgehalten' },
  setups: {
    off: 'Jeder freigegebene Aufruf läuft.',
    on: 'Was das Modell gelesen hat, entscheidet, welche Aufrufe eine Person brauchen.',
    held: 'Das Modell bekommt Griffe an Stelle von Ergebnissen.',
  },
  believes: {
    messages: 'Das Programm entnimmt das Ja den Nachrichten seines Clients.',
    names: 'Das Programm gibt das geänderte Werkzeug noch einmal frei, weil es den Namen kennt.',
  },
  out: (place) => html`Das Geheimnis hat diesen Ort erreicht: ${place}.`,
  kept: 'Das Geheimnis hat keinen Ort draußen erreicht.',
  read: 'Das Modell hat den Befehl des Angreifers gelesen.',
  unread: 'Das Modell hat den Befehl des Angreifers nicht gelesen.',
  steps: 'Was die Belege sagen',
  ran: 'lief',
  ranHeld: 'lief, Ergebnis zurückgehalten',
  stopped: (code) => `gestoppt: ${code}`,
  arrived: 'Was draußen ankam',
  nothing: 'nichts',
  verified: 'Das Protokoll lässt sich verifizieren.',
  broken: 'Das Protokoll lässt sich nicht verifizieren.',
  face: {
    notPlayed: 'nicht abgespielt',
    underWay: 'läuft',
    asExpected: 'abgespielt',
    leaked: 'das Geheimnis kam trotz des Wächters hinaus',
  },
  incidents: {
    forgedApproval: {
      title: 'Eine Zustimmung, die niemand gab',
      what: 'Ein Server setzte Zustimmungen aus den Nachrichten zusammen, die sein Client sandte. Ein Client erfand einen Aufruf und das Ja der Person, und das Werkzeug lief.',
      lesson: 'Eine Antwort gilt nur für eine Frage, die im Protokoll steht, für genau diesen Aufruf, einmal.',
    },
    publishedRepository: {
      title: 'Ein Issue, das ein privates Repository veröffentlichte',
      what: 'Ein Agent sollte sich um die Issues eines öffentlichen Repositorys kümmern. Das Issue eines Fremden befahl ihm, ein privates in ein öffentliches zu kopieren, und er tat es.',
      lesson: 'Nach Worten von Fremden und privaten Daten braucht jeder Aufruf, der Daten hinaussendet, eine Person.',
    },
    changedDefinition: {
      title: 'Ein Werkzeug, das sich nach der Zustimmung änderte',
      what: 'Eine Person stimmte einem Werkzeug einmal zu. Später hieß es noch so und tat etwas anderes, und niemand wurde wieder gefragt.',
      lesson: 'Eine Freigabe enthält den Hash einer Definition. Ein geändertes Werkzeug hat keine Freigabe.',
    },
    stolenToken: {
      title: 'Ein Token gegen das eigene Gateway',
      what: 'Ein Agent konnte die Konfiguration des Gateways lesen, das ihn überwachte. Er nahm das Token daraus und rief das Gateway selbst auf, an den Regeln vorbei.',
      lesson: 'Das Token ist privat, also braucht der Aufruf mit ihm eine Person. Besser: Kein Werkzeug kann es lesen.',
    },
    poisonedDescription: {
      title: 'Eine Beschreibung, die Befehle gibt',
      what: 'Ein Werkzeug, das Zahlen addiert, hatte in seiner Beschreibung einen zweiten Satz, nur für Modelle. Der Satz befahl ihnen, einen Schlüssel zu lesen und mitzugeben.',
      lesson:
        'Eine Beschreibung kann ein Modell verleiten. Der Wächter beurteilt den Aufruf, der folgt, nicht seinen Grund.',
    },
    forgedPageCall: {
      title: 'Eine Seite, die das Werkzeug einer anderen aufrief',
      what: 'Eine Seite befahl dem Agenten eines Browsers, ein Werkzeug einer anderen Seite aufzurufen. Er tat es mit den Rechten seines Benutzers und gab der ersten Seite das Ergebnis.',
      lesson:
        'Werkzeuge jedes Ursprungs haben eigene Namen und Freigaben. Ein Ergebnis gelangt nicht ungefragt zum anderen.',
    },
    picture: {
      title: 'Ein Bild, das Daten forttrug',
      what: 'Eine Mail befahl einem Assistenten, seine Antwort mit einem Bild zu beenden. Der Chat lud das Bild, und dessen Adresse trug private Worte zu einem Fremden.',
      lesson:
        'Einen solchen Text zu zeigen sendet Daten hinaus: Das gehört in die Wirkung. Ein Griff im Text bleibt ein Griff.',
    },
    poisonedMemory: {
      title: 'Ein Gedächtnis, vergiftet für den nächsten Lauf',
      what: 'Eine Seite befahl einem Assistenten, sich einen Befehl zu merken. Ein späteres Gespräch las das Gedächtnis, gehorchte und gab private Worte fort.',
      lesson:
        'Nach Worten von Fremden braucht Schreiben eine Person. Gemerktes bekommt beim Lesen wieder seine Labels.',
    },
  },
};
