// A program that makes one call, and prints the ms from the start of its process to the receipt.
const { openPlayer } = await import('./player.mjs');
const [, , entry = ''] = process.argv;
const player = await openPlayer(entry);
await player.play(1);
process.stdout.write(String(performance.now()));
await player.close();
