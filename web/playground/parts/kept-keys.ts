import { type ReadonlySignal, signal } from '@preact/signals-core';
import { forgetPasskey, type KeptPasskey, keptPasskeys, makePasskey } from '../../shared/passkey.ts';

/** The terms of a grant are read without a page, too. */
const isPage = typeof window !== 'undefined';
const kept = signal<readonly KeptPasskey[]>(isPage ? keptPasskeys() : []);
const read = (): void => void (kept.value = keptPasskeys());
// another tab of the page
if (isPage) addEventListener('storage', read);

/** The passkeys that the page keeps. */
export const keptKeys: ReadonlySignal<readonly KeptPasskey[]> = kept;

/** Makes a passkey for the person of this name. Rejects with a `PasskeyError`. */
export async function addKey(name: string): Promise<void> {
  await makePasskey({ name });
  read();
}

export function removeKey(key: string): void {
  forgetPasskey(key);
  read();
}
