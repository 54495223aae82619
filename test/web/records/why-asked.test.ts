import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { type QuestionSubject, questionOf } from '../../../core/run/authorize/question.ts';
import { whyAsked } from '../../../web/records/why-asked.ts';
import { approval } from '../../../web/texts/en/approval.ts';
import type { ApprovalRequest } from '../../../workers/api.ts';
import { facts } from '../../core/run/facts.ts';
import { begun } from '../../core/run/outside.ts';

const REQUEST = { step_id: 's1', capability: 'note', digest: 'd' } as ApprovalRequest;

const record = (kind: string, body: object): LedgerRecord =>
  ({ kind, body: { step_id: 's1', capability: 'note', ...body } }) as unknown as LedgerRecord;
const asked = (more: object = {}) => record('approval', { event: 'asked', digest: 'd', ...more });
const decided = (more: object = {}) => record('decision', { decision: 'REQUIRES_APPROVAL', ...more });

describe('why a person is asked', () => {
  it.each(['grant', 'untrusted', 'private_and_untrusted', 'authorizer'] as const)(
    'is %s, as the decision says',
    (why) => {
      expect(whyAsked([decided({ why }), asked()], REQUEST)).toBe(why);
    },
  );

  it.each([
    ['the question is not recorded yet', [decided()]],
    ['a running call asks for a power', [decided(), asked({ ticket: 1 })]],
    ['the decision is about another step', [decided({ step_id: 's0' }), asked()]],
    ['the decision is about another capability', [decided({ capability: 'mail' }), asked()]],
    ['the call was decided otherwise', [decided({ decision: 'AUTHORIZED' }), asked()]],
  ])('is unknown where %s', (_, records) => {
    expect(whyAsked(records, REQUEST)).toBeUndefined();
  });

  it.each(['grant', 'untrusted', 'private_and_untrusted', 'authorizer'] as const)(
    'is told as the kernel tells %s',
    (why) => {
      const { state } = begun(facts());
      const subject = { name: 'asked', step: {} } as QuestionSubject;
      expect(questionOf(state, subject, { digest: '', why }).reason).toBe(approval.english.reasons[why]);
    },
  );
});
