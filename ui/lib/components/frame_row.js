// Frames of a video, as pictures that lead to them.
import { frameName } from '../parts/words.js';
import { h } from './component.js';

/**
 * @param {{player: {data: {id: string, file: unknown}, seek: (index: number) => unknown}, indices: number[], label: string}} props
 */
export const FrameRow = ({ player, indices, label }) =>
  player.data.file
    ? h(
        'div',
        { class: 'dl-framerow', role: 'group', 'aria-label': label },
        indices.map((index) =>
          h(
            'button',
            {
              key: index,
              type: 'button',
              class: 'dl-thumb',
              title: `Frame ${index}`,
              onClick: () => player.seek(index),
            },
            h('img', {
              src: `/media/${player.data.id}/strip/${index}.jpg`,
              alt: `Frame ${index}`,
              loading: 'lazy',
            }),
            h('span', null, frameName(index)),
          ),
        ),
      )
    : h(
        'p',
        { class: 'dl-hint' },
        label,
        ': ',
        indices.length ? indices.map(frameName).join(' ') : 'not recorded',
      );
