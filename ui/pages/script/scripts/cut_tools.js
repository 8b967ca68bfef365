// The tools under the player with which cuts are changed, and what there is to say of the cuts.
import { h } from '../../../lib/components/component.js';
import { button } from '../../../lib/components/small_components.js';
import { openField } from '../../../lib/keys/keymap.js';
import { can } from '../../../lib/page/rights.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { ComparisonView } from './cut_compare.js';
import { Legend } from './cut_legend.js';

/** @typedef {{tools: import('./cut_state.js').CutTools}} Props */

/** @param {Props} props */
export const CutToolsView = ({ tools }) => [
  h(Buttons, { tools }),
  h(AboutCuts, { tools }),
  tools.compared.value
    ? h(ComparisonView, {
        key: tools.compared.value.found.detection.id,
        comparison: tools.compared.value,
        late: tools.compared.value.found.base !== tools.edits.value.base,
      })
    : null,
];

/** @param {Props} props */
function Buttons({ tools }) {
  /** @type {(words: string, name: string, title: string, act: () => unknown) => import('preact').VNode} */
  const tool = (words, name, title, act) =>
    button(words, act, { title, name: `cut-${name}`, hint: `script.${name}` });
  return h(
    'div',
    { class: 'dl-cutbuttons' },
    can('edit')
      ? [
          tool('Split', 'split', 'A scene begins at the frame on the screen', () => tools.split()),
          tool('Merge', 'merge', 'Join this scene with the next', () => tools.merge()),
          tool('Cut −1', 'cut_earlier', 'The nearest cut one frame earlier', () => tools.nudge(-1)),
          tool('Cut +1', 'cut_later', 'The nearest cut one frame later', () => tools.nudge(1)),
          tool('Cut here', 'cut_here', 'Move the nearest cut to the frame on the screen', () => tools.here()),
        ]
      : null,
    h('span', { class: 'dl-grow' }),
    tool('Detect …', 'detect', 'Compare with the cuts that another detector finds', () =>
      openField('detect', () => tools.detect()),
    ),
  );
}

/** @param {Props} props */
function AboutCuts({ tools }) {
  const { counts, made, detections, given_up: givenUp } = tools.edits.value;
  const { detection: found, person } = made;
  const newer = person && found ? detections.find((one) => !one.asked && one.at > found.at) : null;
  const { unmeasured } = tools;
  return h(
    'div',
    { class: 'dl-cutabout' },
    found
      ? h(Legend, { kind: 'detector', words: `${plural(counts.detector, 'cut')} by ${found.detector}` })
      : null,
    h(Legend, {
      kind: 'person',
      words: `${plural(counts.person, 'cut')} by ${(counts.person && person) || 'a person'}`,
    }),
    counts.given_up
      ? h(
          'span',
          { title: `frames ${givenUp.join(', ')}` },
          `${counts.given_up} of ${found.detector} given up`,
        )
      : null,
    unmeasured
      ? h(
          'span',
          null,
          `${plural(unmeasured, 'scene')} not measured for the new cut`,
          tools.measuring.value
            ? ', measuring …'
            : can('edit')
              ? button('measure', () => tools.measure().catch(report), {
                  kind: 'quiet',
                  name: 'measure-cuts',
                })
              : null,
        )
      : null,
    newer
      ? button(
          `${newer.detector} has found other cuts since: compare`,
          () => tools.compare(newer.id).catch(report),
          { kind: 'quiet', name: 'compare-newer' },
        )
      : null,
    h('span', { class: 'dl-cutsaid', role: 'status' }, tools.said.value),
  );
}
