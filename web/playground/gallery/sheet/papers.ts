import fees from './papers/fees.csv?raw';
import wages from './papers/wages.csv?raw';

/** Sheets of a rowing club, all invented. E6 of fees is poisoned. */
export const SHEETS: { readonly [path: string]: string } = { 'sheet/fees.csv': fees, 'sheet/wages.csv': wages };
