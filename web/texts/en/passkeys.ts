import { type Area, area } from '../area.ts';

const en = {
  sign: 'Sign with a passkey',
  /** On a card: whose signatures the yes needs. */
  wanted: (of: number, names: string): string => `The yes has to be signed with a passkey, by ${of} of: ${names}.`,
  /** Who has signed so far, of those that have to. */
  signed: (count: number, of: number, names: string): string => `${count} of ${of} signed, by ${names}.`,
  signing: 'Your device asks for the passkey.',
  /** Why nothing was signed, or no passkey was made. */
  troubles: {
    ip_address: 'A page at an IP address can have no passkeys. Open this page by a name, such as localhost.',
    insecure: 'A page without https can have no passkeys.',
    unsupported: 'This browser has no passkeys for this page.',
    framed: 'A signature in a frame of another page does not count. Sign in a window of its own.',
    forbidden: 'The server of this page, or the page around it, forbids passkeys here.',
    storage: 'This page may store nothing here, so it could not keep the public key of a passkey.',
    nameless: 'Give the name of the person.',
    lost: (names: string): string =>
      `This browser does not keep the passkeys of ${names}. A private window and cleared storage lose them: make a new passkey, and have the grant name it.`,
    elsewhere: (origins: string): string => `These passkeys were made on a page of ${origins}. Sign there.`,
    all_signed: (names: string): string => `${names} signed already. Another person has to sign.`,
    not_signed:
      'Nothing was signed: the request was cancelled or took too long, or this device lacks the passkey. The question is still open.',
    not_made: 'No passkey was made: the request was cancelled or took too long.',
    repeated: (name: string): string => `This device has a passkey of ${name} for this page already.`,
    unsuitable: 'This device has no passkey that asks for a PIN, a fingerprint or a face.',
    site: 'The browser does not let this page use these passkeys: they were made for another site.',
    busy: 'The browser is busy with another request for a passkey. End it, then try again.',
    unreadable: 'The device made a passkey of a kind that cannot be checked. Take another device.',
    failed: (message: string): string => `The browser could not ask for the passkey: ${message}`,
  },
};

export type PasskeyTexts = typeof en;
/** Why a page can have no passkeys, nothing was signed, or no passkey was made. */
export type PasskeyTrouble = keyof PasskeyTexts['troubles'];
export const passkeys: Area<PasskeyTexts> = area('passkeys', en);
