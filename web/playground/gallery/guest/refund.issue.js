import { files } from './files.js';

/**
 * Keeps a refund under the id of its request. The same request again gives the same refund, and pays nothing twice. The
 * refunds of an order never exceed what was paid for it.
 *
 * @param {{ order: string, cents: number, reason: string, request: string }} args
 * @param {{ store: { get(key: string): Promise<unknown>, put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ order, cents, reason, request }, { store }) {
  const refunds = /** @type {{ [request: string]: { cents: number, reason: string } }} */ (
    (await store.get(order)) ?? {}
  );
  const others = Object.entries(refunds).filter(([id]) => id !== request);
  const before = Object.hasOwn(refunds, request) ? refunds[request] : undefined;
  if (before !== undefined && before.cents !== cents) throw refusal('request_twice', `${request} was of another sum.`);
  const refunded = others.reduce((sum, [, each]) => sum + each.cents, cents);
  const paid = paidFor(order);
  if (refunded > paid) throw refusal('more_than_paid', `${order} was paid with ${paid} cents.`);
  if (before === undefined) await store.put(order, { ...refunds, [request]: { cents, reason } });
  return { order, request, cents, refunded_cents: refunded, repeated: before !== undefined };
}

/** @param {string} order */
function paidFor(order) {
  const all = /** @type {{ order: string, lines: { pieces: number, cents: number }[] }[]} */ (
    JSON.parse(files['shop/orders.json'] ?? '[]')
  );
  const found = all.find((each) => each.order === order);
  if (found === undefined) throw new RangeError(`There is no order ${order}.`);
  return found.lines.reduce((sum, { pieces, cents }) => sum + pieces * cents, 0);
}

/**
 * @param {string} name
 * @param {string} message
 */
function refusal(name, message) {
  return Object.assign(new Error(message), { name });
}
