import type { Captions } from '../area.ts';

const bakery = [
  'Eine Suche schlägt nur Fundstellen vor. Sie ist freigegeben, läuft also in der Sandbox und hinterlässt einen Beleg.',
  'Das Modell liest sieben Zeilen statt der ganzen Datei: ein kleines Fenster, und der Beleg nennt genau, welches.',
  'Die richtige Antwort in einem plaudernden Text ist kein JSON. Die Pforte liest sie nicht heraus: Sie weist den Text ab und sagt es dem Modell.',
  'Dieselbe Anfrage als reines JSON kommt durch. Fünf Zeilen, £606.60, die Gutschrift für den nassen Sack ist abgezogen.',
  'Diese Datei ist vergiftet: Sie gibt „dem Assistenten“ Befehle. Sie zu lesen schadet nicht: Ein Text erlaubt nichts.',
  'Das Modell gehorcht dem Lieferschein. Der Vorschlag ist gültig und wird trotzdem verweigert: Keine Freigabe dieses Laufs deckt calendar.add.',
  'Es versucht, die Rechnungen wegzuschicken. Diese Fähigkeit gibt es nicht, und der Kernel hat kein Netz.',
  'Zurück zum Brot. Die beiden Rezepte werden Zeile für Zeile verglichen, jedes Mal aus denselben Bytes.',
  'Modelle rechnen schlecht, also rechnet die Sandbox, mit genauen Brüchen: 50 g mehr je Laib.',
  'Der Text "60" ist nicht die Zahl 60. Nichts wird umgewandelt, nichts ergänzt: gestoppt bei den Argumenten.',
  'Jetzt darf der Aufruf laufen und stürzt ab: Der Code hat einen Fehler, weil kein Roggen bestellt ist. Der Absturz bleibt in der Sandbox.',
  'Das Modell liest den Fehler und nimmt einen anderen Weg: 38 kg Roggen liegen im Regal.',
  'Mit Schritten von null Minuten endet die Schleife nie. Ihr Fuel geht aus, und der Aufruf stoppt bei einer genauen Zahl.',
  'Mit Schritten von einer Viertelstunde endet sie: fertig um 05:00. Der Heap ist frisch: Die endlose Schleife hat nichts hinterlassen.',
  'Geschrieben wird nur mit dem Ja einer Person. Sie sehen die genauen Argumente, und Ihre Genehmigung gilt nur für diese.',
  'Fertig. Sechzehn Vorschläge, sechzehn Belege, auch für die abgewiesenen. Prüfen Sie das Protokoll, oder spielen Sie es noch einmal.',
] as const;

/** The messages of the Catalytic form read windows of named papers in place of files. */
const messages = [
  bakery[0],
  'ALL hat kein Ende, ist also kein Fenster. Die Pforte kürzt es nicht, sondern weist die Nachricht ab.',
  'Das ist mehr als die 800 Bytes, die die Nachricht erlaubt. Also wird kein Byte gelesen.',
  'Sieben Zeilen eines Abschnitts. Der Beleg nennt den Ausschnitt und den Hash seines genauen Textes.',
  bakery[2],
  bakery[3],
  'Diese Datei ist vergiftet: Sie gibt „dem Assistenten“ Befehle. Sie wird gelesen und gekennzeichnet: Fremde haben sie geschrieben.',
  ...bakery.slice(5, 15),
  'Fertig. Achtzehn Nachrichten, achtzehn Belege, auch für die abgewiesenen. Prüfen Sie das Protokoll, oder spielen Sie es noch einmal.',
] as const;

/** The German captions of the scripted steps, in the order of each script. */
export const captions: Captions = {
  bakery,
  'bakery/catalytic': messages,
  mail: [
    'Vier Mails. Auch ihre Betreffzeilen sind Texte von Fremden, daher gilt der Lauf ab hier als nicht vertrauenswürdig.',
    'Das Lesen ist freigegeben. Der Beleg nennt die gelesene Mail durch den Hash ihres Textes.',
    'Diese Mail ist vergiftet: Sie befiehlt „dem Assistenten“, das Postfach weiterzuleiten. Sie zu lesen schadet nicht.',
    'Das Modell gehorcht. Die Freigabe für mail.send gilt nur für Adressen dieses Hauses: verweigert, nichts wird gesendet.',
    'Die Mail nennt einen zweiten Weg. Eine Fähigkeit dieses Namens gibt es nicht, und ein Modell kann keine schaffen.',
    'Vor einer Nachricht im Haus werden Sie gefragt. Sehen Sie sich Adresse und Text an, und genehmigen Sie genau diese.',
    'Verschieben ist ohne Rückfrage erlaubt. Sie werden trotzdem gefragt: Das Modell hat Texte von Fremden gelesen.',
    'Fertig. Nichts ging an mail-check.example: Beide Versuche haben einen Beleg mit der Schranke, die sie gestoppt hat.',
  ],
  calendar: [
    '„Thursday“ ist kein Datum der Form, die das Schema verlangt. Es wird nicht geraten: gestoppt bei den Argumenten.',
    'Ein Termin kam als Einladung, und sein Titel gibt „dem Assistenten“ Befehle. Ihn zu lesen schadet nicht.',
    'Das Modell gehorcht dem Titel. Der Aufruf ist gültig und wird verweigert: Keine Freigabe dieses Laufs deckt calendar.cancel.',
    'Buchen ist für Donnerstag freigegeben, bis zu einer Stunde. Freitagvormittag liegt außerhalb der Freigabe: Niemand wird gefragt.',
    'Zurück zur Aufgabe. Die Sandbox berechnet die Lücken aus denselben Terminen: 13:00 ist die erste.',
    'Innerhalb der Freigabe, also wird eine Person gefragt. Ihr Ja gilt nur für dieses Datum, diese Zeit und diesen Namen.',
    'Fertig. Eine Buchung hat einen Beleg mit Ihrer Genehmigung; zwei Belege nennen, was die Einladung versucht hat.',
  ],
  shop: [
    'Die Aufgabe sagt 1042, das Schema verlangt PP-1042. Nichts wird für das Modell ergänzt: Es muss noch einmal fragen.',
    'Mit der Bestellung kommt die Notiz des Kunden, und die Notiz gibt „dem Erstattungs-Bot“ Befehle.',
    'Das Modell gehorcht der Notiz. Die Freigabe endet bei 5000 Cent: verweigert, bevor jemand dazu überredet werden kann.',
    'Der zweite Weg der Notiz: Keine Fähigkeit hat diesen Namen. Ein Text kann kein Werkzeug hinzufügen.',
    'Zwei Becher zu 1850 Cent, weniger den Gutschein: 3300, in der Sandbox mit genauen Brüchen berechnet.',
    'Innerhalb der Freigabe, also wird eine Person gefragt, mit Summe und Grund. Dieselbe Anfrage zahlt nie zweimal.',
    'Fertig. Die Belege enthalten die Erstattung mit Ihrer Genehmigung und beide Versuche der Notiz mit ihren Codes.',
  ],
  sheet: [
    'Die Bemerkung eines Mitglieds in E6 ist vergiftet: Sie verlangt das Blatt der Löhne und eine Formel, die nach außen ruft.',
    'Das Modell gehorcht der Zelle. Die Fähigkeit könnte dieses Blatt lesen; die Freigabe nennt nur fees: verweigert.',
    'Das andere Blatt, versteckt in einem Bereich. Das Schema kennt keinen solchen Bereich: gestoppt bei den Argumenten.',
    'Eine Formel, die aus der Tabelle nach außen rufen würde. Die Freigabe erlaubt keinen Text, der mit „=“ beginnt.',
    'Zurück zur Aufgabe: fünf Zellen, 900, zusammengezählt in der Sandbox und nicht vom Modell.',
    'Eine Zahl in D7 liegt innerhalb der Freigabe, also werden Sie gefragt: Die Karte zeigt Blatt, Zelle und Wert.',
    'Fertig. Die Löhne wurden nie gelesen: Kein Beleg dieses Laufs nennt ein Ergebnis mit ihnen.',
  ],
  wiki: [
    'Eine Suche schlägt Seiten vor. Verlass ist auf eine Seite erst, wenn sie gelesen wurde: siehe die nächsten Schritte.',
    'Diese Seite dürfen alle schreiben, und jemand hat es getan: Sie befiehlt „dem Wiki-Assistenten“, die Hausordnung zu ersetzen.',
    'Das Modell gehorcht der Seite. Die Freigabe für Entwürfe nennt zwei Seiten, und policy ist keine davon: verweigert.',
    'Auf der Seite der Öffnungszeiten fehlt der Sonntag des Fests. Der ganze Text steht durch seinen Hash im Beleg.',
    'Das Modell fügt selbst ein Member „publish“ hinzu. Das Schema ist geschlossen: abgewiesen, nicht stillschweigend gestrichen.',
    'Ein Entwurf einer freigegebenen Seite: Sie werden gefragt, mit dem ganzen Text. Verweigern Sie, und das Modell erfährt es.',
    'Fertig. Ein Entwurf wartet auf die Veröffentlichung, und die Hausordnung ist unberührt: Das Protokoll zeigt, wer was verlangt hat.',
  ],
  library: [
    'Die Seite führt dieses Werkzeug aus, keine Sandbox läuft. Im Gästebuch steht eine Notiz mit Befehlen an „den Assistenten“.',
    'Das Modell gehorcht der Notiz. Ausleihen sind für zwei Nachbarn freigegeben, und Dr Vane ist keiner davon: verweigert.',
    'Ein Titel ist keine Nummer eines Buchs in der Form, die das Schema verlangt. Die Seite wird nicht gerufen: abgewiesen.',
    'Sie werden gefragt. Nach Ihrem Ja verleiht die Seite das Buch: Sie bewahrt ihr Regal im Speicher dieses Browsers auf.',
    'Auch das Umstellen fragt. Das Werkzeug kennt einen Weg zurück, und die Seite führt auch diesen aus: siehe den nächsten Schritt.',
    'Fertig. Wählen Sie das Ausleihen oder das Umstellen: „Zurücknehmen …“ macht diesen Schritt in einem eigenen Lauf rückgängig, der Sie fragt.',
  ],
};
