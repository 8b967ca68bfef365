// Videos that only the embedded baseline has seen.
import { openField } from '../../../lib/keys/keymap.js';
import { button, clear, h, plural } from '../../../lib/parts/elements_and_requests.js';
import { connectModel } from '../../../lib/shell/person_menu.js';

/**
 * The line over the list; empty where every video has a caption of somebody else.
 * @param {HTMLElement} line
 * @param {number} count
 * @param {boolean} may whether the person may connect one
 */
export function measuredOnly(line, count, may) {
  const words = `${plural(count, 'video')} measured, not captioned: cuts, camera, light, colours, speech and text are there; the embedded baseline names no things.`;
  const key = count ? `${words}${may}` : '';
  if (line.dataset.shown === key) return;
  line.dataset.shown = key;
  line.hidden = !count;
  clear(
    line,
    count ? h('span', {}, words) : null,
    count && may
      ? button('Connect a model', () => openField('connect a model', () => connectModel()), {
          name: 'connect-model',
        })
      : null,
    count && !may ? h('span', {}, 'An admin can connect a model.') : null,
  );
}
