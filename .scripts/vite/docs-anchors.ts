/** Ids of the frame around a text. */
const OF_THE_PAGE = ['search', 'found', 'count', 'menu'];

/** Gives each heading of a page an anchor of its own: entries export the same names. */
export function openAnchors(): (heading: string) => string {
  const taken = new Map(OF_THE_PAGE.map((id) => [id, 1]));
  return (heading) => {
    const anchor = anchorOf(heading);
    const nth = (taken.get(anchor) ?? 0) + 1;
    taken.set(anchor, nth);
    return nth === 1 ? anchor : `${anchor}-${nth}`;
  };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll('&quot;', '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
