/** Width of a plot: a phone shows it whole, with letters that can be read. */
export const WIDTH = 400;

const STYLE = `
.bg{fill:#ffffff}.text{fill:#12181d}.soft{fill:#4b5761}.grid{stroke:#dbe0e5}
.fill-ours{fill:#0a5c78}.fill-other{fill:#9aa7b1}.line-ours{stroke:#0a5c78}.line-other{stroke:#b4541a}
@media(prefers-color-scheme:dark){.bg{fill:#0f1316}.text{fill:#e7ecef}.soft{fill:#a5b1ba}.grid{stroke:#2a3238}
.fill-ours{fill:#7cd0ea}.fill-other{fill:#58656f}.line-ours{stroke:#7cd0ea}.line-other{stroke:#f0a26b}}
`.trim();

/** A plot as an SVG file for light and dark pages, with its numbers as a description for screen readers. */
export function picture(title: string, description: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="480" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="14">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="desc">${escape(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="bg" width="${WIDTH}" height="${height}" rx="8"/>`,
    `<text class="text" x="16" y="28" font-size="15" font-weight="600">${escape(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** A coordinate with one decimal. */
export function round(number: number): number {
  return Number(number.toFixed(1));
}
