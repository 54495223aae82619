import orders from './papers/orders.json?raw';

/** Orders of a shop, all invented. The note on PP-1042 is poisoned. */
export const ORDERS: { readonly [path: string]: string } = { 'shop/orders.json': orders };
