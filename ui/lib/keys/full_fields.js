// A field with a greatest length drops what does not fit without a word. Here it is said what was not written.
import { h } from '../parts/elements.js';
import { keepNotice, notice } from '../parts/notices.js';

export const BREATH_MS = 1200; // a longer pause ends what somebody is typing
let said = null; // {field, until, dropped, words, line}

/** What of `text` has no room in the field, where it goes in place of what is selected. */
function overflow({ maxLength, value, selectionStart, selectionEnd }, text) {
  if (!(maxLength > 0)) return '';
  return text.slice(Math.max(0, maxLength - value.length + (selectionEnd - selectionStart)));
}

/** Says that this text does not go whole into the field, before it is inserted there. */
export function sayIfFull(field, text) {
  const dropped = overflow(field, text);
  if (!dropped) return;
  const now = performance.now();
  if (said?.field === field && now < said.until) said.dropped += dropped;
  else {
    const words = h('span', {});
    said = { field, dropped, words, line: notice(words, 'error') };
  }
  keepNotice(said.line);
  said.until = now + BREATH_MS;
  said.words.textContent = `This field holds ${field.maxLength.toLocaleString('en')} characters. Not written: “${said.dropped}”`;
}

export function watchFullFields() {
  addEventListener(
    'beforeinput',
    ({ target, data, dataTransfer, inputType, isComposing }) => {
      if (inputType.startsWith('insert') && !isComposing)
        sayIfFull(target, data ?? dataTransfer?.getData('text/plain') ?? '');
    },
    true,
  );
  addEventListener(
    'compositionend',
    (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (field.maxLength > 0 && !field.value.includes(event.data)) sayIfFull(field, event.data);
    },
    true,
  );
}
