// How times, numbers and names read everywhere.

/** @param {number} seconds */
export function clock(seconds) {
  const ms = Math.round(Math.max(0, seconds) * 1000);
  /** @param {number} n */
  const pad = (n, w = 2) => String(n).padStart(w, '0');
  const text = `${pad(Math.floor(ms / 60000) % 60)}:${pad(Math.floor(ms / 1000) % 60)}.${pad(ms % 1000, 3)}`;
  const hours = Math.floor(ms / 3600000);
  return hours ? `${hours}:${text}` : text;
}

/** @param {number} seconds */
export const shortClock = (seconds) => clock(seconds).replace(/\.\d+$/, '');
/** @param {number} index */
export const frameName = (index) => `#${index.toLocaleString('en')}`;
// Letters of scripts that put no spaces between words count one by one: as backends/text/text_length.py.
const UNSPACED =
  /[\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/gu;
const TONES = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]/g;
/**
 * Words, or characters where most of the text is in a script without spaces.
 * @param {string} text
 * @returns {{n: number, unit: 'words' | 'characters'}}
 */
export function textLength(text) {
  const letters = (text.replace(TONES, '').match(UNSPACED) || []).length;
  if (!letters) return { n: (text.match(/\S+/g) || []).length, unit: 'words' };
  const rest = (text.replace(UNSPACED, ' ').match(/\S+/g) || []).filter((word) =>
    /[\p{L}\p{N}_]/u.test(word),
  ).length;
  return { n: letters + rest, unit: letters > rest ? 'characters' : 'words' };
}
/** @param {string} text */
export const wordCount = (text) => textLength(text).n;
/** @param {number} unix seconds */
export const timeOfDay = (unix) =>
  new Date(unix * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
/** @param {number} unix seconds */
export function dayAndTime(unix) {
  const day = new Date(unix * 1000);
  return `${day.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${timeOfDay(unix)}`;
}
/**
 * `1 video`, `2 videos`; the words are the one for one, and the one for many where that takes more than an s.
 * @type {(n: number, ...words: string[]) => string}
 */
export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/**
 * "yes"/"no" when judged, "mean" where a log holds no more than a score, else the state.
 * @param {{state?: string, label?: string}} row
 */
export const verdictWord = (row) => (row.state === 'done' ? row.label || 'mean' : row.state);
/** @param {number | null} [score] */
export const scoreText = (score) =>
  score === null || score === undefined ? '–' : String(Math.round(score * 100) / 100);

export const ASPECTS = ['camera', 'short', 'background', 'main_object', 'detailed'];
/** @param {string} kind */
export const aspectName = (kind) => kind.replace(/^\w+:/, '').replaceAll('_', ' ');
