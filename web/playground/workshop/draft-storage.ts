import { isObject, type JsonValue } from '../../../core/index.ts';
import { BLANK, type CapabilityDraft } from './draft.ts';

/** The stored state of the workshop. */
export interface StoredDraft {
  readonly draft: CapabilityDraft;
  readonly base: CapabilityDraft;
  readonly args: string;
  readonly script: string;
}

export interface Drafts {
  read(): StoredDraft | undefined;
  write(kept: StoredDraft): void;
}

const KEY = 'sallyport.draft';

/**
 * The draft in this device's storage, where the browser allows it; without storage the draft lasts until the page is
 * closed.
 */
export function keepDrafts(): Drafts {
  return {
    read: () => {
      try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as JsonValue;
        return isKept(kept) ? (kept as unknown as StoredDraft) : undefined;
      } catch {
        return undefined;
      }
    },
    write: (kept) => {
      try {
        localStorage.setItem(KEY, JSON.stringify(kept));
      } catch {
        return;
      }
    },
  };
}

function isKept(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { draft, base, args, script } = value;
  return isDraft(draft) && isDraft(base) && typeof args === 'string' && typeof script === 'string';
}

/** A stored draft that lacks a member is not restored. */
function isDraft(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  return Object.entries(BLANK).every(([field, blank]) => {
    const kept = value[field];
    return Array.isArray(blank) ? Array.isArray(kept) : typeof kept === typeof blank && kept !== null;
  });
}
