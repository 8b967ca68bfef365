// One aspect of the VDC caption: what every author wrote of it, the reference first.
import { h } from '../../../lib/components/component.js';
import { FrameRow } from '../../../lib/components/frame_row.js';
import { button, empty, held, mark } from '../../../lib/components/small_components.js';
import { aspectName } from '../../../lib/parts/words.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { sentenceAt } from './caption_state.js';

/** @typedef {import('./caption_state.js').CaptionState} CaptionState */
/** @typedef {import('./caption_state.js').Caption} Caption */

/** @param {{state: CaptionState}} props */
export function Captions({ state }) {
  const { kind, own } = state;
  const captions = state.captions.value;
  return h(
    'div',
    {
      class: 'dl-captions',
      'data-fields-first': '',
      ref: (node) => {
        if (node && state.takesCaret) state.focus();
      },
    },
    captions.length
      ? h(
          'div',
          { role: 'list', style: { display: 'contents' }, 'aria-label': `${aspectName(kind)} captions` },
          captions.map((caption) => h(Card, { key: caption.text.id, state, ...caption })),
        )
      : empty(
          `Nobody has written a ${aspectName(kind)} caption of this video yet. Run the pipeline, or write one.`,
        ),
    own
      ? h(
          'article',
          { class: 'dl-captioncard dl-writeown', 'aria-label': 'my own', hidden: state.hides(own) },
          held(own.node),
        )
      : null,
  );
}

/** @param {{state: CaptionState} & Caption} props */
function Card({ state, text, editor }) {
  const { page } = state;
  return h(
    'div',
    {
      class: 'dl-captioncard',
      role: 'listitem',
      'aria-label': `by ${text.author}`,
      hidden: state.hides(editor),
    },
    ['failed', 'unparsed'].includes(text.state) && !text.corrected
      ? h('p', { class: 'dl-whynot' }, mark(text.state), text.reason || 'no reason recorded')
      : null,
    text.state === 'done' && text.reason ? h('p', { class: 'dl-hint' }, text.reason) : null,
    held(editor.node),
    page.data.value.player.file
      ? button('Where is this?', () => page.where(1, sentenceAt(editor.area)), {
          title: `The frames for the sentence at the caret (${keyText('script.where_next')})`,
        })
      : null,
    text.frames.length
      ? h(
          'details',
          { class: 'dl-framesgiven' },
          h('summary', null, `frames given to the model · ${text.frames.length}`),
          h(FrameRow, { player: page.player, indices: text.frames, label: 'frames given to the model' }),
        )
      : null,
  );
}
