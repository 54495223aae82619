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
