const lockOf = (name: string): string => `sallyport:alive:${name}`;

/** Says that a kernel has this ledger open, until it leaves or dies. */
export function enter(name: string): () => void {
  let leave: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => {
    leave = resolve;
  });
  navigator.locks?.request(lockOf(name), { mode: 'shared' }, () => inside).catch(() => undefined);
  return leave;
}

/** How many kernels of this origin have it open, this one among them. */
export async function kernelsOn(name: string): Promise<number> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.filter((lock) => lock.name === lockOf(name)).length;
}
