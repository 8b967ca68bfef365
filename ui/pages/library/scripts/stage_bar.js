// The stages of a video as small segments, each with its state as shape and tooltip; the words stand below.
import { h } from '../../../lib/components/component.js';
import { icon } from '../../../lib/components/small_components.js';

/** @typedef {import('./library_row.js').LibraryRow} LibraryRow */
/** @typedef {LibraryRow['stages'][number]} Stage */

const SIGNS = {
  done: 'done',
  failed: 'failed',
  unparsed: 'unparsed',
  missing: 'missing',
  skipped: 'missing',
  stopped: 'stop',
  running: 'play',
  queued: 'stale',
};
const STATE_WORDS = { none: 'not run', queued: 'waiting' };
const COUNTED = /^\d+ of \d+ /; // messages that begin with how many results are in which state
/** States of stages whose results are not all there. */
const TROUBLES = ['failed', 'stopped', 'unparsed', 'missing'];
/** @param {string} state */
const stateWord = (state) => STATE_WORDS[state] || state;

/** @param {Stage} stage */
function stageTitle(stage) {
  const count = stage.total > 1 && stage.state === 'running' ? ` ${stage.done} of ${stage.total}` : '';
  return `${stage.stage}: ${stateWord(stage.state)}${count}${stage.message ? ` (${stage.message})` : ''}`;
}

/**
 * Stages that failed for the same reason share a line; the video's title is not said again.
 * @param {Stage[]} stages
 * @param {string} title
 */
function troubleLines(stages, title) {
  const groups = new Map();
  for (const s of stages) {
    const why = s.message.replace(`${title}: `, '');
    const key = `${s.state}:${why}`;
    groups.set(key, { state: s.state, why, names: [...(groups.get(key)?.names || []), s.stage] });
  }
  return [...groups.values()].map(({ state, why, names }) =>
    h(
      'p',
      { key: `${state}:${why}`, class: `dl-stageline dl-is-${state}`, title: why },
      h('b', null, names.join(', ')),
      COUNTED.test(why) ? ` ${why}` : ` ${state}${why ? `: ${why}` : ''}`,
    ),
  );
}

/** @param {LibraryRow} row */
export function stageBar({ stages: shown, title }) {
  const finished = shown.filter((s) => s.state === 'done').length;
  const left = shown.filter((s) => s.state === 'none').map((s) => s.stage);
  const troubles = shown.filter((s) => TROUBLES.includes(s.state));
  const skipped = shown.filter((s) => s.state === 'skipped');
  const now = shown.find((s) => s.state === 'running');
  return [
    h(
      'div',
      {
        class: 'dl-stages',
        role: 'img',
        'aria-label': `Stages: ${shown.map((s) => `${s.stage} ${stateWord(s.state)}`).join(', ')}`,
      },
      shown.map((s) =>
        h(
          'span',
          { key: s.stage, class: `dl-stage dl-stage-${s.state}`, title: stageTitle(s) },
          SIGNS[s.state] ? icon(SIGNS[s.state]) : null,
        ),
      ),
    ),
    now
      ? h(
          'p',
          { class: 'dl-stageline' },
          `${now.stage} running${now.total > 1 ? ` · ${now.done} of ${now.total}` : ''}`,
        )
      : null,
    troubleLines(troubles, title),
    now
      ? null
      : h(
          'p',
          { class: 'dl-stageline', title: skipped.map((s) => `${s.stage}: ${s.message}`).join('\n') },
          finished || troubles.length || skipped.length
            ? `${finished} of ${shown.length} stages done`
            : 'not run yet',
          finished && left.length ? `; not run: ${left.join(', ')}` : '',
          skipped.length ? `; skipped: ${skipped.map((s) => s.stage).join(', ')}` : '',
        ),
  ];
}
