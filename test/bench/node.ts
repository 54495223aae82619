export { runSections, SECTIONS } from './sections.ts';
export { tableOf } from './table.ts';
