// Which size of Whisper hears, in which language, and what that costs.
import { choice, fill } from './choice.js';
import { h } from './elements.js';
import { report } from './notices.js';
import { api } from '../requests/requests.js';

/** @typedef {import('../wire.d.ts').components['schemas']['SpeechChoices']} SpeechChoices */

const AS_SET = ['', 'as set'];
const names = new Intl.DisplayNames(['en'], { type: 'language' });
/** @param {string} code */
export const languageName = (code) => names.of(code);

/**
 * Two lists, filled as the server tells, and a line on what is chosen; `chosen()` gives `{size, language}`, empty where
 * it is as set. With a `language` one has to be chosen.
 */
export function speechChoice({ language = '' } = {}) {
  /** @type {SpeechChoices['sizes']} */
  let known = [];
  const cost = h('p', { class: 'dl-hint', role: 'status' });
  const say = () => cost.replaceChildren(costs(known.find((one) => one.name === sizes.value)));
  const sizes = choice('Size of Whisper', [AS_SET], '', say, 'speech-size');
  const first = language && language !== 'auto' ? [[language, languageName(language)]] : [];
  const detected = ['auto', 'detected'];
  const always = language ? [detected] : [AS_SET, detected];
  const languages = choice('Language spoken', [...always, ...first], language, null, 'speech-language');
  api('/api/speech/choices')
    .then((/** @type {SpeechChoices} */ found) => {
      known = found.sizes;
      const sized = known.map(({ name, here }) => [name, here ? name : `${name} (to fetch)`]);
      const codes = found.languages.map((code) => [code, languageName(code)]);
      codes.sort(([, a], [, b]) => a.localeCompare(b));
      fill(sizes, [AS_SET, ...sized], sizes.value);
      fill(languages, [...always, ...codes], languages.value);
      say();
    })
    .catch(report);
  say();
  const node = h(
    'div',
    { class: 'dl-speechchoice', role: 'group', 'aria-label': 'How speech is heard' },
    h('label', {}, 'Whisper', sizes),
    h('label', {}, 'language', languages),
    cost,
  );
  return { node, languages, chosen: () => ({ size: sizes.value, language: languages.value }) };
}

/** @param {SpeechChoices['sizes'][0] | undefined} size */
function costs(size) {
  if (!size) return 'Flags and settings say who hears; a video for which it was chosen keeps that.';
  const fetched = size.here
    ? 'its weights are here'
    : `${size.download_mb.toLocaleString('en')} MB are fetched once from the model hub`;
  const slower = size.name === 'base' ? '' : `, about ${size.times_base} times as long as base`;
  return `${size.name}: ${fetched}; up to ${size.memory_gb} GB of memory${slower} on a CPU.`;
}
