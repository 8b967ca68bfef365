// The shapes of states and buttons. A state is a colour AND a shape AND a word.

/** @type {Object<string, string>} */
const SHAPES = {
  people:
    '<circle cx="6" cy="5" r="2.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M1.5 14c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12.3 9.8c1.5.7 2.2 2.2 2.2 4.2" fill="none" stroke="currentColor" stroke-width="1.5"/>',
  yes: '<circle cx="8" cy="8" r="5.5" fill="currentColor"/>',
  no: '<circle cx="8" cy="8" r="4.8" fill="none" stroke="currentColor" stroke-width="2"/>',
  unparsed:
    '<path d="M5.2 5.6a2.9 2.9 0 1 1 4 2.7c-.8.4-1.2.8-1.2 1.7" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round"/><circle cx="8" cy="12.9" r="1.2" fill="currentColor"/>',
  failed:
    '<path d="M8 2.6 14 13.4H2z" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round"/><path d="M8 6.6v3" stroke="currentColor" stroke-width="1.7"/><circle cx="8" cy="11.4" r=".9" fill="currentColor"/>',
  mean: '<path d="M3 6h10M3 10h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  missing: '<path d="M3 8h10" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/>',
  stale:
    '<circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M8 4.8V8l2.2 1.6" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/>',
  moved:
    '<path d="M8 2.5v11M4.8 5.4 2.2 8l2.6 2.6M11.2 5.4 13.8 8l-2.6 2.6" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  corrected:
    '<path d="m3 13 .7-3 6.6-6.6a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L6 12.3z" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"/>',
  entailment: '<rect x="3" y="3" width="10" height="10" fill="currentColor"/>',
  neutral:
    '<rect x="3" y="3" width="10" height="10" fill="none" stroke="currentColor" stroke-width="1.5"/><rect x="3" y="3" width="5" height="10" fill="currentColor"/>',
  contradiction:
    '<rect x="3" y="3" width="10" height="10" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m3 3 10 10M13 3 3 13" stroke="currentColor" stroke-width="1.5"/>',
  done: '<path d="m3.5 8.4 3 3 6-6.6" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>',
  uncertain:
    '<path d="M2.5 9.4c1.6-3.2 3.6-3.2 5.5-1.2s3.9 2 5.5-1.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
  confirmed:
    '<path d="m4.6 8.3 2.3 2.4 4.5-5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.4"/>',
  open: '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.4 2"/>',
  working:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.7v10.6a5.3 5.3 0 0 1 0-10.6z" fill="currentColor"/>',
  skipped:
    '<path d="m3.5 3.5 4.5 4.5-4.5 4.5M8.5 3.5 13 8l-4.5 4.5" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  flagged:
    '<path d="M4 14V2.5" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/><path d="M4 3h8.5l-2 2.8 2 2.8H4z" fill="currentColor"/>',
  returned:
    '<path d="M6 3.2 2.8 6.4 6 9.6M3 6.4h6.2a3.4 3.4 0 0 1 0 6.8H6" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  approved:
    '<path d="m1.5 8.6 2.8 2.8 5-5.8M7.4 10.4l1 1 5.6-6.4" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>',
  blind:
    '<path d="M1.8 8S4.2 4.2 8 4.2 14.2 8 14.2 8 11.8 11.8 8 11.8 1.8 8 1.8 8z" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m3 13 10-10" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
  hidden:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.4 2"/>',
  search:
    '<circle cx="7" cy="7" r="4.3" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="m10.3 10.3 3.2 3.2" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/>',
  play: '<path d="M4.5 3v10l8.5-5z" fill="currentColor"/>',
  pause: '<path d="M4.5 3h2.6v10H4.5zM8.9 3h2.6v10H8.9z" fill="currentColor"/>',
  back: '<path d="M10.5 3 5 8l5.5 5z" fill="currentColor"/>',
  next: '<path d="M5.5 3 11 8l-5.5 5z" fill="currentColor"/>',
  theme:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.7a5.3 5.3 0 0 1 0 10.6z" fill="currentColor"/>',
  plus: '<path d="M8 3v10M3 8h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  minus: '<path d="M3 8h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  stop: '<rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
  down: '<path d="m4 6.2 4 4 4-4" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  link: '<path d="M6.5 9.5 9.5 6.5M7 4.8l1.5-1.5a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.5 1.5a2.6 2.6 0 0 1-3.7-3.7l1.5-1.5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/>',
  upload:
    '<path d="M8 11V3.4M4.8 6.2 8 3l3.2 3.2M3 13h10" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  download:
    '<path d="M8 3v7.6M4.8 7.6 8 10.8l3.2-3.2M3 13h10" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
};

/**
 * The only HTML that is parsed: the constant shapes above.
 * @param {string} name of SHAPES; another gives an empty one
 */
export const iconMarkup = (name) =>
  `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[name] || ''}</svg>`;
