// Measures how busy the cores are during a stage: a stage with busy cores is bound by the processor, not by waiting.
import { cpus } from 'node:os';

/** Begins to measure. The function that it returns tells how many cores of all were busy since then, on average; work
 * beside the stage counts too. It returns undefined where the system tells no times, as in some containers.
 * @returns {() => {busy: number, cores: number} | undefined} */
export function watchCores() {
  const before = readTimes();
  return () => {
    const after = readTimes();
    const total = after.total - before.total;
    return total > 0 ? { busy: ((after.busy - before.busy) / total) * after.cores, cores: after.cores } : undefined;
  };
}

function readTimes() {
  const all = cpus().map(({ times }) => times);
  const sum = (/** @type {(times: import('node:os').CpuInfo['times']) => number} */ part) =>
    all.reduce((total, times) => total + part(times), 0);
  const busy = sum(({ user, nice, sys, irq }) => user + nice + sys + irq);
  return { busy, total: busy + sum(({ idle }) => idle), cores: all.length };
}
