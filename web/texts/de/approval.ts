import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { ApprovalTexts } from '../en/approval.ts';
import type { RewritingTexts } from '../en/rewriting.ts';
import { number, plural } from '../intl.ts';

export const approval: ApprovalTexts = {
  effects: {
    pure: 'Der Aufruf rechnet und ändert nichts.',
    read: 'Der Aufruf liest und ändert nichts.',
    write: 'Der Aufruf ändert Daten.',
    egress: 'Der Aufruf sendet Daten von diesem Gerät hinaus.',
  },
  scopes: {
    once: { word: 'diesen Aufruf, einmal', button: 'Einmal genehmigen' },
    thrice: { word: 'diese Argumente, 3-mal', button: '3-mal genehmigen' },
    same: { word: 'diese Argumente, bis der Lauf endet', button: 'Für diesen Lauf genehmigen' },
    any: { word: 'beliebige Argumente, bis der Lauf endet', button: 'Alle in diesem Lauf genehmigen' },
  },
  title: (capability) => html`<span class="mono">${capability}</span> genehmigen?`,
  body: 'Was geschehen würde',
  effect: (effect) => `Wirkung: ${effect}.`,
  reasons: {
    grant: 'Die Freigabe verlangt eine Rückfrage.',
    untrusted: 'Das Modell hat Inhalte von außen gelesen, die ihm das vielleicht aufgetragen haben.',
    private_and_untrusted:
      'Das Modell hat private Inhalte und Inhalte von außen gelesen, und dieser Aufruf sendet etwas hinaus.',
    held: 'Er enthält Werte, die das Modell nicht gelesen hat, an einer Stelle, an der die Freigabe sie nicht annimmt.',
    held_private:
      'Er sendet einen privaten Wert hinaus, den das Modell nicht gelesen hat, und Inhalte von außen können dazu geführt haben.',
    authorizer: 'Eine Freigabe erlaubt es, und die Regeln des Authorizers dieses Programms müssen es auch erlauben.',
  },
  declared: 'Das hat ein Mensch für diese Definition erklärt.',
  carries: {
    title: 'Werte, die das Modell nicht gelesen hat',
    all: 'alle Argumente',
    more: (places) => plural(places, { one: '# weitere Stelle', other: '# weitere Stellen' }),
    step: (step) => `Schritt ${step}`,
  },
  releases: ({ bits, charged, left, drops }) =>
    `Das kleine Ergebnis erfährt das Modell: höchstens ${plural(bits, { one: '# Bit', other: '# Bits' })}. Von der Freigabe sind dann ${number(charged)} verbraucht, ${number(left)} bleiben.${drops === undefined ? '' : ' Wer den Wert geschrieben hat, darf unter diesen Antworten wählen.'}`,
  goesTo: (origin) => html`Die Argumente gehen an <bdi class="mono">${origin}</bdi>`,
  asText: (place) => html`Als Text: <bdi class="mono">${place}</bdi>`,
  arguments: 'Die genauen Argumente',
  end: (characters) => `${plural(characters, { one: '# Zeichen', other: '# Zeichen' })}, bis hierher.`,
  unseen: (characters) =>
    `${plural(characters, { one: '# Zeichen wäre hier unsichtbar. Es ist', other: '# Zeichen wären hier unsichtbar. Sie sind' })} oben ausgeschrieben.`,
  lookalike: (words) =>
    `${plural(words, { one: '# Wort hat', other: '# Wörter haben' })} hier Buchstaben, die vielleicht nicht sind, wonach sie aussehen.`,
  digest: (digest) => html`Ihre Antwort gilt nur für diesen Aufruf. Digest <span class="mono">${digest}</span>`,
  allowed: 'Was habe ich erlaubt?',
  readFirst: 'Blättern Sie bis zum Ende der Argumente, bevor Sie genehmigen.',
  covers: 'Ihr Ja gilt für',
  deny: 'Verweigern',
  denyWhy: 'Mit einer Begründung verweigern',
  reason: 'Begründung …',
  reasonField: 'Begründung, die das Modell erfährt',
  back: 'Zurück',

  edit: {
    edit: 'Ändern…',
    show: 'Änderung zeigen',
    again: 'Weiter ändern',
    approve: 'Geänderten Aufruf genehmigen',
    changes: 'Was Sie geändert haben',
    absent: 'nicht vorhanden',
    gone: 'weggelassen',
    told: 'Das Modell erfährt, dass Sie seinen Aufruf ersetzt haben, und was aus Ihrem geworden ist. Ihr Ja gilt nur für diesen Aufruf.',
  },
  consent: {
    title: (origin) => html`Private Inhalte an <span class="mono">${origin}</span> senden?`,
    body: 'Was dieses Gerät verlassen würde',
    amount: (now, later) =>
      html`<strong>Jetzt ${byteCount(now)}</strong>, und bis zu ${byteCount(later)} mit jeder weiteren Anfrage dieses Laufs: alles, was dem Modell gezeigt wird. Ein Teil davon ist privat. Was der Server damit tut, kann diese Seite weder sehen noch rückgängig machen.`,
    text: {
      show: (texts) => `Text zeigen (${plural(texts, { one: '# Teil', other: '# Teile' })})`,
      kinds: { task: 'Ihre Aufgabe', proposal: 'Der Vorschlag des Modells', observation: 'Die Antwort darauf' },
      reading: 'Wird gelesen …',
      missing: 'Nicht zu zeigen: die Bytes fehlen oder passen nicht zu ihrem Hash.',
    },
    refusing:
      'Eine Ablehnung beendet den Lauf, denn sein Modell könnte keine weitere Anfrage erhalten. Beide Antworten werden festgehalten.',
    where: 'Alles davon steht im Protokoll: die Aufgabe, und jede Antwort unter Ergebnis.',
    no: 'Nein, Lauf beenden',
    yes: 'Dorthin senden',
  },
};

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
