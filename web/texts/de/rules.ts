import type { RulesTexts } from '../en/rules.ts';
import { dateTime, number, plural } from '../intl.ts';

const calls = (count: number): string => plural(count, { one: '# Aufruf', other: '# Aufrufe' });
const ofCalls = (count: number): string => plural(count, { one: '# Aufruf', other: '# Aufrufen' });

export const rules: RulesTexts = {
  words: {
    allow: '{tool} läuft ohne Frage',
    ask: '{tool} fragt eine Person',
    forms: {
      constant: '{place} ist {value}',
      values: '{place} ist eines von {value}',
      range: '{place} geht von {value} bis {most}',
      folder: '{place} liegt in {value}',
      origin: '{place} ist eine Adresse bei {value}',
      prefix: '{place} beginnt mit {value}',
      format: '{place} hat die Form {value}',
      length: '{place} hat höchstens {value} Zeichen',
      any: '{place} ist beliebig',
    },
    except: ', aber nicht {value}',
    limits: (uses) => (uses === 1 ? 'einmal je Lauf' : `höchstens ${number(uses)}-mal je Lauf`),
    rate: (most) => (most === 1 ? 'einmal je Minute' : `höchstens ${number(most)}-mal je Minute`),
    evidence: ({ calls: count, runs, first, last }) => {
      const when = first === last ? `am ${first}` : `vom ${first} bis ${last}`;
      const where = runs === 1 ? 'eines Laufs' : `von ${number(runs)} Läufen`;
      return `Gesehen in ${count === 1 ? 'einem Aufruf' : `${number(count)} Aufrufen ${where}`}, ${when}.`;
    },
    asks: {
      effect: 'Es bleibt etwas davon zurück.',
      reading: 'Das Modell liest damit, was zurückgehalten ist.',
      untrusted: 'Seine Werte kamen erst vor, nachdem ein fremder Text gelesen war.',
      refused: 'Eine Person oder der Wächter hat einen Aufruf abgelehnt, den es umfasst.',
      person: 'Sie möchten gefragt werden.',
    },
    tried: {
      same: 'wie zuvor',
      asked: 'eine Person würde gefragt',
      refused: 'würde abgelehnt',
      permitted: 'würde ohne Frage laufen',
      unknown: 'nicht bekannt',
    },
  },
  forms: {
    constant: 'nur dieser Wert',
    values: 'einer dieser Werte',
    range: 'ein Bereich',
    folder: 'in einem Ordner',
    origin: 'bei einer Webadresse',
    prefix: 'mit einem Anfang',
    format: 'von einer Form',
    length: 'bis zu einer Länge',
    list: 'eine Liste',
    object: 'ein Objekt',
    either: 'von mehreren Arten',
    any: 'alles von seiner Art',
  },
  recent: (count) => `${calls(count)} dieser Art in der letzten Stunde`,
  propose: 'Regel vorschlagen',

  watch: {
    title: 'Zusehen',
    what: 'Seine Aufrufe laufen, wo keine Freigabe für sie spricht, und werden aufgezeichnet, bis das Zusehen endet. Dann schlagen Sie eine Regel vor. Der Wächter fragt wie zuvor.',
    length: 'Für',
    egress: 'Auch Daten hinaussenden lassen: Sonst fragt jeder solche Aufruf',
    begin: 'Zusehen beginnen',
    begun: (until) => `Es wird zugesehen bis ${dateTime(until)}, in Läufen, die von jetzt an beginnen.`,
  },

  title: 'Eine Regel aus dem, was lief',
  close: 'Schließen',
  reading: 'Die aufgezeichneten Aufrufe werden gelesen…',
  readShare: (percent) => `Die aufgezeichneten Aufrufe werden gelesen: ${number(percent)} %`,
  cancel: 'Abbrechen',
  canceled: 'Abgebrochen. Nichts wurde geändert.',
  again: 'Noch einmal lesen',
  failed: (why) => `Die Regel konnte nicht gemacht werden: ${why}`,
  none: 'Kein aufgezeichneter Aufruf dieses Werkzeugs ist gelaufen, dessen Argumente noch hier sind. Lassen Sie es einige Male laufen, dann schlagen Sie eine Regel vor.',
  noneLeft: 'Sie haben jeden Aufruf weggelassen, die Regel würde also keinen umfassen.',
  backToProposal: 'Zurück zum Vorschlag',
  rest: (count) =>
    `Die Regel beruht auf ${ofCalls(count)}. ${count < 5 ? 'Das ist wenig: Der nächste Aufruf kann gut ein anderer sein.' : 'Was nie vorkam, ist nicht umfasst.'}`,

  inWords: 'Die Regel in Worten',
  mode: 'Ein Aufruf, den sie umfasst',
  modes: { allow: 'läuft ohne Frage', ask: 'fragt mich' },
  keeps: {
    untrusted:
      'Die Regel fragt weiter: Jeder Wert kam erst vor, nachdem ein fremder Text gelesen war, der ihn gewählt haben kann.',
    refused:
      'Die Regel fragt weiter: Sie oder der Wächter haben einen Aufruf abgelehnt, den sie umfasst. Lassen Sie dessen Werte weg, um die anderen zu erlauben.',
  },
  allows: {
    write: 'Dieses Werkzeug ändert Daten. Mit dieser Regel wäre jeder Aufruf der Liste unten ohne Sie gelaufen.',
    egress:
      'Dieses Werkzeug sendet Daten hinaus. Mit dieser Regel wäre jeder Aufruf der Liste unten ohne Sie gelaufen.',
  },
  guard: 'Nachdem ein fremder Text gelesen ist, fragt der Wächter weiter nach solchen Aufrufen.',

  places: 'Ihre Argumente',
  whole: 'die Argumente',
  form: 'Wie weit',
  seen: 'Gesehen. Entfernen Sie den Haken, um die Aufrufe mit einem Wert wegzulassen:',
  beyond:
    'Gesehen, nachdem ein fremder Text gelesen war. Setzen Sie einen Haken nur, wenn Sie den Wert gewählt hätten:',
  unquoted: 'Seine Werte sind geheim oder lang und werden nicht gezeigt.',
  taken: (count) => plural(count, { one: '# Wert hinzugenommen', other: '# Werte hinzugenommen' }),
  offered: (count) =>
    plural(count, { one: '# Wert hinter einem fremden Text', other: '# Werte hinter einem fremden Text' }),

  covers: (count) => `Umfasst ${calls(count)}`,
  refuses: (count) => `Hätte ${calls(count)} abgelehnt`,
  asksOutside: (count) => `Hätte bei ${ofCalls(count)} gefragt`,
  noCall: 'Kein Aufruf.',
  newest: (count) => `Die neuesten ${number(count)} sind gezeigt.`,
  ends: { ran: 'lief', denied: 'Sie haben Nein gesagt', refused: 'abgelehnt', open: 'blieb ohne Antwort' },
  hidden: 'Argumente nicht gezeigt',
  openStep: (step) => `Schritt ${number(step)} öffnen`,
  step: (step) => `Schritt ${number(step)}`,

  attempt: 'Ausprobieren',
  trying: 'Über die aufgezeichneten Aufrufe wird noch einmal entschieden…',
  tried: 'Ausprobiert an dem, was aufgezeichnet ist',
  unknownPath: 'Was ein Lauf nach einer Ablehnung getan hätte, ist nicht bekannt.',
  unchanged: 'Jeder aufgezeichnete Aufruf wäre gegangen wie zuvor.',
  replaces: (count) =>
    plural(count, {
      one: 'Die Regel tritt an die Stelle von # Freigabe dieses Werkzeugs, die sofort endet. Verbote bleiben.',
      other: 'Die Regel tritt an die Stelle von # Freigaben dieses Werkzeugs, die sofort enden. Verbote bleiben.',
    }),
  accept: 'Regel annehmen',
  accepting: 'Die Regel wird geschrieben…',
  notAccepted: (why) => `Die Regel wurde nicht angenommen: ${why}`,
  changed:
    'Das Werkzeug hat inzwischen eine andere Definition. Schließen Sie dies, und schlagen Sie eine neue Regel vor.',
  accepted:
    'Die Regel gilt für Läufe, die von jetzt an beginnen. Sie steht in der Liste der Freigaben, und Sie können sie dort widerrufen.',
};
