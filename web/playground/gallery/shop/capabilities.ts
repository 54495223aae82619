import { calcEval } from '../../../../sandbox/capabilities/calc.eval.ts';
import { link } from '../../../../sandbox/capabilities/link.ts';
import { closed, count, DATE, list, words } from '../../../../sandbox/capabilities/schema.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import findSource from '../guest/orders.find.js?raw';
import refundSource from '../guest/refund.issue.js?raw';
import { ORDERS } from './papers.ts';

const ORDER = { type: 'string', pattern: '^PP-[0-9]{4}$', description: 'Such as "PP-1041".' };
const REQUEST = {
  type: 'string',
  pattern: '^PP-[0-9]{4}-[1-9]$',
  description: 'The order with a number. The same request never pays twice.',
};
const CENTS = { type: 'integer', minimum: 1, maximum: 1_000_000 };
const LINE = { type: 'string', maxLength: 200 };

const ordersFind: CapabilityDefinition = {
  name: 'orders.find',
  version: '1.0.0',
  description: 'Finds an order with its lines and the note of the customer. Cents are of one piece.',
  args: closed({ order: ORDER }),
  result: closed({
    order: ORDER,
    customer: LINE,
    delivered: DATE,
    lines: list(closed({ item: LINE, pieces: count(1000), cents: CENTS }), 100),
    note: { type: 'string', maxLength: 2000 },
  }),
  effect: 'read',
  source: link(findSource, ORDERS),
};

const refundIssue: CapabilityDefinition = {
  name: 'refund.issue',
  version: '1.0.0',
  description: 'Issues a refund on an order, kept on this device under the id of its request.',
  args: closed({ order: ORDER, cents: CENTS, reason: words(200, 'One line.'), request: REQUEST }),
  result: closed({
    order: ORDER,
    request: REQUEST,
    cents: CENTS,
    refunded_cents: CENTS,
    repeated: { type: 'boolean' },
  }),
  effect: 'write',
  powers: ['store.get', 'store.put'],
  source: link(refundSource, ORDERS),
};

export const SHOP_CAPABILITIES: readonly CapabilityDefinition[] = [ordersFind, refundIssue, calcEval];
