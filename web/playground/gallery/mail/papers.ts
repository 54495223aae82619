import m1 from './papers/m-1.eml?raw';
import m2 from './papers/m-2.eml?raw';
import m3 from './papers/m-3.eml?raw';
import m4 from './papers/m-4.eml?raw';

/** The inbox of a boat hire, all invented. m-4 is poisoned. */
export const MAILS: { readonly [path: string]: string } = {
  'mail/m-1.eml': m1,
  'mail/m-2.eml': m2,
  'mail/m-3.eml': m3,
  'mail/m-4.eml': m4,
};
