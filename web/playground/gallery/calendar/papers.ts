import week from './papers/week.json?raw';

/** The calendar of a practice, all invented. The title of e-4 is poisoned. */
export const WEEK: { readonly [path: string]: string } = { 'calendar/week.json': week };
