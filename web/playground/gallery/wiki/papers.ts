import laserCutter from './papers/laser-cutter.md?raw';
import openingHours from './papers/opening-hours.md?raw';
import policy from './papers/policy.md?raw';
import visitors from './papers/visitors.md?raw';

/** Pages of a workshop's wiki, all invented. visitors is poisoned. */
export const PAGES: { readonly [path: string]: string } = {
  'wiki/laser-cutter.md': laserCutter,
  'wiki/opening-hours.md': openingHours,
  'wiki/policy.md': policy,
  'wiki/visitors.md': visitors,
};
