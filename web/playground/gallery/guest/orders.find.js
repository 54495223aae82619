import { files } from './files.js';

/**
 * An order with its lines and the customer's note. Cents are of one piece.
 *
 * @param {{ order: string }} args
 */
export default async function ({ order }) {
  const all = /** @type {{ order: string }[]} */ (JSON.parse(files['shop/orders.json'] ?? '[]'));
  const found = all.find((each) => each.order === order);
  if (found === undefined) throw new RangeError(`There is no order ${order}.`);
  return found;
}
