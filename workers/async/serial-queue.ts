/** One after the other: whoever has the turn gives it back. */
export function makeTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let give: () => void = () => undefined;
    last = new Promise((resolve) => {
      give = resolve;
    });
    await before;
    return give;
  };
}

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Each piece of work begins when the one before is over, however that went. */
export function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
