/**
 * Looks of a report. The policy of the page names this text by its hash, and `markup` writes it: it has no character
 * that HTML escapes.
 */
export const REPORT_STYLE: string = [
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;--good:light-dark(#17633a,#7fd6a2);--wait:light-dark(#7a4b00,#f2c063);--bad:light-dark(#a11b12,#ff9d93);--soft:light-dark(#4d565c,#aeb8be);--line:light-dark(#c9d0d4,#46525a)}',
  'body{margin:0}',
  'main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}',
  'h1,h2,h3{line-height:1.3;text-wrap:balance}',
  'h2{margin:2rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}',
  'h3{margin:0;overflow-wrap:anywhere}',
  'dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1rem;margin:1rem 0}',
  'dt{color:var(--soft)}',
  'dd{margin:0;overflow-wrap:anywhere}',
  'ol,ul{margin:0;padding:0;list-style:none}',
  '.good,.passed{color:var(--good)}.wait,.waiting,.running{color:var(--wait)}.bad,.stopped,.fail{color:var(--bad)}',
  '.soft,.skipped,.never,.ahead,.not_run{color:var(--soft)}',
  '.mono,pre{font-family:ui-monospace,monospace;font-size:.875rem}',
  'pre{margin:.25rem 0;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}',
  'section{margin:1rem 0;padding:1rem 0;border-top:1px solid var(--line)}',
  'h4{margin:.75rem 0 0;color:var(--soft);font-size:.875rem;font-weight:400}',
  '.strip{display:grid;grid-template-columns:repeat(10,minmax(0,1fr));gap:.25rem;margin:.75rem 0}',
  '.strip li{padding:.25rem;border:1px solid var(--line);border-radius:.375rem;font-size:.75rem;line-height:1.35;text-align:center;overflow-wrap:anywhere}',
  '.strip .passed,.strip .stopped,.strip .waiting{border-color:currentcolor}',
  '.strip b,.strip span{display:block}.strip b{color:light-dark(#14191c,#eef2f4)}',
  '.strip .never,.strip .ahead{border-style:dashed}',
  'summary{cursor:pointer}',
  '@media(max-width:44rem){.strip{grid-template-columns:repeat(auto-fill,minmax(5.75rem,1fr))}dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:.5rem}}',
  '@page{margin:15mm}',
  '@media print{:root{color-scheme:light;font-size:11pt}main{max-width:none;padding:0}section,.strip,.strip li,.checks li,.asked li{break-inside:avoid}h1,h2,h3,h4{break-after:avoid}section,h2{border-top-color:#999}details:not([open]){display:none}details[open]{break-before:page;break-after:page}details[open] pre{border:0;padding:0;font-size:8pt}}',
].join('');
