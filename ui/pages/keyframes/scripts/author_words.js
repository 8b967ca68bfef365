// How the captions of the candidates were made, in words.

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CaptionAuthor']} Author */

/** @type {Object<string, string>} */
export const MODES = {
  c: 'the action',
  a: 'the object’s state',
  b: 'the body pose',
  page: 'as printed in the paper',
};
/** @type {Object<string, string>} */
export const CONTEXTS = {
  before: 'that ends with the frame',
  after: 'that begins with it',
  both: 'both, one after the other',
};
/**
 * Who wrote captions, and how; where several runs of a model did, the name says what differs.
 * @param {Author | undefined} author
 */
export function authorWords(author) {
  if (!author) return '';
  const { options } = author;
  const how = options ? (options.frames.length ? 'chosen' : `${options.fps || 1} a second`) : 'from a file';
  const more =
    options && author.name === author.model
      ? [
          `${options.per_call} at a time`,
          options.context !== 'before' ? `window ${CONTEXTS[options.context]}` : '',
          options.mode !== 'c' ? MODES[options.mode] : '',
        ]
      : [];
  const name = author.baseline && author.name === author.model ? 'baseline' : author.name;
  return [name || 'captions', `${author.frames} frames`, how, ...more].filter(Boolean).join(' · ');
}
