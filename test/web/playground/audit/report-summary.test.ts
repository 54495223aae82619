import { describe, expect, it } from 'vitest';
import type { ReportSummary } from '../../../../core/ledger/summary.ts';
import { auditView } from '../../../../web/texts/en/audit-view.ts';
import { spoken } from '../../texts/spoken.ts';

const SUMMARIES: readonly (readonly [ReportSummary, string])[] = [
  [
    { kind: 'consistent', records: 1, anchored: true, undecided: false },
    'Keine Prüfung über 1 Eintrag ist gescheitert, und der Kopf ist der, den Sie notiert haben.',
  ],
  [
    { kind: 'consistent', records: 1200, anchored: false, undecided: true },
    'Keine Prüfung über 1.200 Einträge ist gescheitert. Die Herkunft ist unbekannt: Kein Kopf von anderswo wurde angegeben. Die Entscheidungen wurden nicht neu getroffen.',
  ],
  [{ kind: 'anchor_unread' }, 'Der angegebene Kopf ist nicht lesbar, daher wurde nichts mit ihm verglichen.'],
  [{ kind: 'other_run' }, 'In sich stimmig, aber nicht der Lauf, den Sie erwartet haben.'],
  [{ kind: 'no_export' }, 'Diese Datei ist kein Export eines Laufs.'],
  [{ kind: 'cut', records: 0 }, 'Abgeschnitten: Von diesem Export gibt es nur die Kopfzeile.'],
  [{ kind: 'cut', records: 3 }, 'Abgeschnitten: Die Einträge 0 bis 2 sind intakt, und was danach kam, fehlt.'],
  [{ kind: 'differs', place: 4 }, 'Intakt, aber neu ausgeführt weicht der Lauf bei Eintrag 4 ab.'],
  [
    { kind: 'does_not_follow', place: 4 },
    'Die Kette hält, aber Eintrag 4 folgt nicht aus dem, was vor ihm festgehalten ist.',
  ],
  [{ kind: 'not_intact', place: 4, records: 9 }, 'Nicht intakt: erstes Problem bei Eintrag 4 von 9.'],
];

describe('the sentence of a report', () => {
  it.each(SUMMARIES)('%j has a German sentence', (summary, sentence) => {
    const english = auditView().verdict(summary);
    expect(english).toMatch(/^[A-Z].*\.$/u);
    spoken('de');
    expect(auditView().verdict(summary)).toBe(sentence);
  });
});
