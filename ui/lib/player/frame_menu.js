// One frame: going to it by number or time, its picture to the clipboard or into a file, its link.
import { h, icon } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { menuButton } from '../parts/menu.js';

/** The frame that is meant by "1043", "#1,043", "+25", "41.72", "0:41.72"; null when it cannot be read. */
function readPlace(text, player) {
  const words = text.trim().replace(/^#/, '');
  if (/^[+-]\d+$/.test(words)) return player.index + Number(words);
  if (/^\d{1,3}(,\d{3})+$|^\d+$/.test(words)) return Number(words.replaceAll(',', ''));
  const time = /^(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d+)?)\s*s?$/.exec(words);
  if (!time) return null;
  const [hours, minutes] = time[2] === undefined ? [0, time[1] || 0] : [time[1], time[2]];
  return player.table.at(Number(hours) * 3600 + Number(minutes) * 60 + Number(time[3]));
}

/** The number and the time under the picture; pressed, a field to type another one. */
export class GoTo {
  /** `shown`: what names the frame that is shown; a click on it asks where to go. */
  constructor(player, shown) {
    this.player = player;
    this.field = h('input', {
      class: 'dl-goto-field',
      'aria-label': 'Go to',
      placeholder: 'frame or time',
      size: '12',
      hidden: true,
      autocomplete: 'off',
      title: 'A frame (1043), a time (0:41.72 or 41.72 s) or a step (+25)',
      onkeydown: (event) => this.#key(event),
      onblur: () => this.#close(),
    });
    this.button = h(
      'button',
      { type: 'button', class: 'dl-goto', title: 'Go to a frame or a time', onclick: () => this.open() },
      shown,
    );
    this.node = h('span', { class: 'dl-gotobox' }, this.button, this.field);
  }

  open() {
    this.field.hidden = false;
    this.button.classList.add('dl-goto-open');
    this.field.value = '';
    this.field.removeAttribute('aria-invalid');
    this.field.focus();
  }

  #close() {
    this.field.hidden = true;
    this.button.classList.remove('dl-goto-open');
  }

  #key(event) {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    const to = readPlace(this.field.value, this.player);
    if (to === null) {
      this.field.setAttribute('aria-invalid', 'true');
      notice('Type a frame like 1043, a time like 0:41.72, or a step like +25.', 'error');
      return;
    }
    this.field.blur();
    this.player.seek(to);
  }
}

const pictureUrl = (player, kind) => `/media/${player.data.id}/frame/${player.index}.${kind}`;

export async function copyPicture(player) {
  if (!navigator.clipboard?.write || !window.ClipboardItem)
    throw new Error(
      'This browser lets pages copy pictures only over https or on this machine; save the picture as a file instead',
    );
  const index = player.index;
  const blob = fetch(pictureUrl(player, 'png')).then((answer) => {
    if (!answer.ok) throw new Error(`the server has no picture of frame ${index}`);
    return answer.blob();
  });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
  notice(`The picture of frame ${index} is on the clipboard.`);
}

/** `kind` is png or jpg; the server names the file. */
export function savePicture(player, kind) {
  const link = h('a', { href: pictureUrl(player, kind), download: '' });
  document.body.append(link);
  link.click();
  link.remove();
}

/** The address of what is open, at this very frame. */
function frameLink(player) {
  const url = new URL(location.href);
  url.searchParams.set('video', player.data.id);
  url.searchParams.set('frame', player.index);
  url.hash = '';
  return url.href;
}

export async function copyLink(player) {
  const link = frameLink(player);
  try {
    await navigator.clipboard.writeText(link);
    notice(`The link to frame ${player.index} is on the clipboard.`);
  } catch {
    prompt('Copy the link to this frame', link);
  }
}

/** The button that opens what can be done with the frame on the screen. */
export function frameMenu(player) {
  /** @type {[string, () => unknown][]} */
  const rows = [
    ['Copy picture', () => copyPicture(player)],
    ['Save picture as PNG', () => savePicture(player, 'png')],
    ['Save picture as JPEG', () => savePicture(player, 'jpg')],
    ['Copy link to this frame', () => copyLink(player)],
  ];
  return menuButton(
    {
      class: 'dl-button dl-button-quiet',
      'aria-label': 'Picture and link of this frame',
      title: 'Picture and link of this frame',
    },
    [icon('download'), icon('down')],
    'This frame',
    rows.map(([words, run]) => ({
      words,
      run: () => {
        Promise.resolve().then(run).catch(report);
      },
    })),
  );
}
