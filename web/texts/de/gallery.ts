import type { GalleryTexts } from '../en/gallery.ts';

export const gallery: GalleryTexts = {
  title: 'Mit einem Szenario beginnen',
  intro:
    'Jedes Szenario hat eigene Werkzeuge, Freigaben und Papiere, in die jemand Befehle für das Modell geschrieben hat. Ein Skript macht echte Vorschläge durch jede Schranke. Schlagen Sie bei jedem Schritt selbst vor, oder überlassen Sie es einem Modell.',
  close: 'Schließen',
  tools: (names) => `Werkzeuge: ${names}`,
  stopped: 'Aufgehalten:',
  start: 'Beginnen',
  startFrom: (name) => `Mit ${name} beginnen`,
  openNow: 'jetzt offen',
  opening: 'Wird geöffnet …',
  copyLink: 'Link kopieren',
  copyLinkTo: (name) => `Link kopieren: ${name}`,
  copied: 'Der Link ist kopiert. Er nennt das Szenario, und die Seite fragt, bevor es beginnt.',
  notCopied: (link) => `Der Browser ließ die Seite nicht kopieren. Der Link ist ${link}`,
  kept: 'Ihr offener Lauf bleibt, wie er ist, in der Liste der früheren Läufe.',
  named: {
    title: (name) => `Ein Link nennt das Szenario ${name}.`,
    what: 'Mit „Beginnen“ werden seine Werkzeuge samt ihren Erlaubnissen auf diesem Gerät angemeldet, und ein Lauf wartet vor seinem ersten Schritt.',
    unknown: (id) => `Ein Link nennt das Szenario „${id}“, das es hier nicht gibt. Nichts wurde geändert.`,
    leave: 'Ohne es weitermachen',
  },
  cards: {
    bakery: {
      about:
        'Eine Bäckerei fragt, was ihr Mehl gekostet hat und ob der Roggen reicht. Sechzehn Vorschläge zeigen jede Schranke.',
      stopped:
        'Ein Lieferschein befiehlt eine Zahlung und den Versand der Rechnungen: keine Freigabe, und kein solches Werkzeug.',
    },
    mail: {
      about: 'Vier Mails eines Bootsverleihs werden gelesen und geordnet, und eine Kollegin wird etwas gefragt.',
      stopped: 'Eine Mail befiehlt, das ganze Postfach weiterzuleiten: Die Freigabe gilt nur für Adressen des Hauses.',
    },
    calendar: {
      about: 'Eine Praxis sucht am Donnerstag eine freie Stunde und bucht sie.',
      stopped:
        'Der Titel einer Einladung befiehlt eine Absage und einen ganzen Freitagvormittag: Keines von beiden ist freigegeben.',
    },
    shop: {
      about: 'Ein Laden erstattet zwei zerbrochene Becher, mit einer Summe, die die Sandbox ausrechnet.',
      stopped:
        'Die Notiz eines Kunden verlangt eine Erstattung von 480: Die Freigabe endet bei 50, also wird nicht einmal gefragt.',
    },
    sheet: {
      about: 'Ein Verein zählt seine Beiträge in einer Tabelle zusammen und trägt die Summe ein.',
      stopped:
        'Eine Zelle befiehlt, die Löhne zu lesen, und eine Formel, die nach außen ruft: Die Freigaben nennen ein einziges Blatt und keine Formel.',
    },
    wiki: {
      about: 'Eine Frage wird aus Markdown-Seiten beantwortet, und eine fehlende Öffnungszeit wird entworfen.',
      stopped:
        'Eine Seite, die alle ändern dürfen, befiehlt, die Hausordnung zu ersetzen: Die Freigabe für Entwürfe lässt sie aus.',
    },
  },
};
