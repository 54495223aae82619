import { type Area, area } from '../area.ts';

const en = {
  title: 'Start from a scenario',
  intro:
    'Each scenario has tools of its own, grants, and papers in which somebody wrote orders for the model. A script makes real proposals through every gate. Propose yourself, or hand it to a model, at each step.',
  close: 'Close',
  tools: (names: string): string => `Tools: ${names}`,
  stopped: 'Stopped:',
  start: 'Start',
  startFrom: (name: string): string => `Start ${name}`,
  openNow: 'open now',
  opening: 'Opening…',
  copyLink: 'Copy link',
  copyLinkTo: (name: string): string => `Copy link to ${name}`,
  copied: 'The link is copied. It names the scenario, and the page asks before it starts.',
  notCopied: (link: string): string => `The browser did not let the page copy. The link is ${link}`,
  kept: 'Your open run stays as it is, in the list of earlier runs.',
  named: {
    title: (name: string): string => `A link names the scenario ${name}.`,
    what: 'Start registers its tools on this device with their grants, and begins a run that waits before its first step.',
    unknown: (id: string): string => `A link names the scenario “${id}”, which is not here. Nothing was changed.`,
    leave: 'Go on without it',
  },
  cards: {
    bakery: {
      about: 'A bakery asks what its flour cost and whether the rye lasts. Sixteen proposals show every gate.',
      stopped: 'A delivery slip orders a payment and the invoices to be sent away: no grant, and no such tool.',
    },
    mail: {
      about: 'Four mails of a boat hire are read and sorted, and a colleague is asked a question.',
      stopped: 'A mail orders the whole inbox to be forwarded: the grant covers addresses of the house alone.',
    },
    calendar: {
      about: 'A practice looks for a free hour on Thursday, and books it.',
      stopped: 'The title of an invitation orders a cancellation and a whole Friday morning: neither is granted.',
    },
    shop: {
      about: 'A shop refunds two broken mugs, with a sum that the sandbox works out.',
      stopped: 'A customer’s note demands a refund of 480: the grant ends at 50, so nobody is even asked.',
    },
    sheet: {
      about: 'A club adds up its fees in a sheet, and enters the sum.',
      stopped:
        'A cell orders the wages to be read and a formula that calls out. The grants name one sheet, and no formula.',
    },
    wiki: {
      about: 'A question is answered from Markdown pages, and a missing opening hour is drafted.',
      stopped: 'A page that anybody may edit orders the policy to be replaced: the grant for drafts leaves policy out.',
    },
    library: {
      about:
        'A neighbour borrows a book, and a broken one is put aside. The page carries the calls out, and can take them back.',
      stopped: 'A note in the guest book orders an atlas for a stranger: the grant names two neighbours.',
    },
  },
};

export type GalleryTexts = typeof en;
export const gallery: Area<GalleryTexts> = area('gallery', en);
