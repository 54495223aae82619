// Preloaded by `--import`: the clock of this process is ahead of that of its machine by `CLOCK_AHEAD_MS`.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
const OwnDate = globalThis.Date;
const now = () => OwnDate.now() + ahead;

globalThis.Date = class Date extends OwnDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
