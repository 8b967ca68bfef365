// Until every page is drawn by components: whose words are shown, as elements.
import { badge, baselineBadge, mark } from '../parts/elements.js';

export function authorMarks(text) {
  const corrected = text.corrected ? correctedMark(text) : null;
  if (text.baseline) return [corrected || baselineBadge()];
  const name = text.person ? `written by ${text.author}` : text.model || text.author;
  return [name ? badge(name, text.author === 'reference' ? 'reference' : '') : null, corrected].filter(
    Boolean,
  );
}

function correctedMark({ corrected_by: by, baseline }) {
  const node = mark('corrected', by ? `corrected by ${by}` : 'corrected');
  if (baseline) node.title = 'in the place of words by the embedded baseline';
  return node;
}
