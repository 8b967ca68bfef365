// The dialog that connects a model: one that fits on the server's machine, or the address of a server. It is kept once it
// has answered.
import { choice, field } from '../parts/choice.js';
import { button, clear, h } from '../parts/elements.js';
import { report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { wanted } from '../keys/pending_keys.js';
import { openDialog } from '../parts/dialog.js';
import { Waiting } from './request_progress.js';

/** @typedef {import('../wire.d.ts').components['schemas']} Schemas */
/** @typedef {Schemas['ModelOffers']} ModelOffers */
/** @typedef {Schemas['Choice']} Choice */

const ROLES = { captioner: 'captions (sees pictures)', judge: 'answers and verdicts' };
const ENGINES = { llama: 'llama.cpp', vllm: 'vLLM' };

export async function connectModel() {
  const still = wanted();
  /** @type {ModelOffers} */
  const found = await api('/api/models');
  if (!still()) return;
  const role = choice('What it is for', Object.entries(ROLES), '', () => draw());
  const spec = h('input', {
    class: 'dl-input dl-modelspec',
    'aria-label': 'Model or address',
    placeholder: 'http://127.0.0.1:8000/v1#MODEL',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: '500',
    oninput: () => untried(),
  });
  const offers = h('ul', { class: 'dl-modeloffers', 'aria-label': 'Open models' });
  const said = h('div', {
    class: 'dl-modelsaid',
    role: 'region',
    'aria-live': 'polite',
    'aria-label': 'Reply',
  });
  const test = button('Try it', () => tryIt().catch(report), {
    kind: 'main',
    name: 'try-model',
    key: 'Enter',
  });
  const use = button('Use it', () => useIt().catch(report), { name: 'use-model' });
  let tried = '';

  const body = () => ({ role: role.value, spec: spec.value.trim() });

  function untried() {
    tried = '';
    use.disabled = true;
    clear(said);
  }

  function draw() {
    untried();
    clear(
      offers,
      found.models.filter((one) => one.roles.includes(role.value)).map((one) => offer(one)),
    );
  }

  /** @param {Choice} one */
  function offer(one) {
    const memory = `${one.memory_gb} GB ${one.engine === 'vllm' ? 'of GPU memory' : 'of memory'}`;
    const facts = [`${one.billions} B`, one.licence, memory, one.tried, one.note];
    return h(
      'li',
      { class: one.fits ? '' : 'dl-toolarge' },
      button(
        `${one.name} (${ENGINES[one.engine]})`,
        () => {
          spec.value = one.spec;
          untried();
          test.focus();
        },
        { kind: 'quiet' },
      ),
      h('span', {}, `${one.fits ? 'fits' : 'too large here'} · ${facts.filter(Boolean).join(' · ')}`),
    );
  }

  async function tryIt() {
    if (!spec.value.trim() || test.disabled) {
      spec.focus();
      return;
    }
    untried();
    const asked = body();
    const waiting = new Waiting();
    waiting.say(`asking ${asked.spec}`);
    clear(said, waiting.node);
    test.disabled = true;
    try {
      /** @type {Schemas['TestCall']} */
      const answer = await api('/api/models/test', asked);
      if (asked.spec !== spec.value.trim() || asked.role !== role.value) return;
      tried = JSON.stringify(asked);
      use.disabled = false;
      clear(
        said,
        h('p', {}, h('b', {}, answer.model), ` answered in ${answer.seconds} s:`),
        h('p', { class: 'dl-hint' }, answer.question),
        h('pre', {}, answer.reply || '(nothing)'),
      );
      use.focus();
      said.scrollIntoView({ block: 'nearest' }); // the reply is what one looks for
    } catch (error) {
      clear(said, h('p', { class: 'dl-modelfailed' }, error.message));
      spec.focus();
    } finally {
      waiting.end();
      test.disabled = false;
    }
  }

  async function useIt() {
    if (tried !== JSON.stringify(body())) return;
    /** @type {Schemas['ModelKept']} */
    const kept = await api('/api/models/use', body());
    found.settings = { ...found.settings, [kept.role]: kept.spec };
    use.disabled = true;
    const overruled = kept.overruled_by
      ? ` The server was started with ${kept.overruled_by}, which goes on to be used until it is started without.`
      : ' The next run uses it; select the videos and press Run.';
    clear(said, h('p', {}, `Saved: ${kept.role} = ${kept.spec}.${overruled}`));
  }

  draw();
  const engines = found.engines.map((one) =>
    h('li', {}, h('b', {}, `${one.engine}: `), one.ok ? 'installed' : one.found),
  );
  const gpus = found.machine.gpus.map((gpu) => `${gpu.name}, ${gpu.memory_gb} GB`).join('; ');
  openDialog(
    'Connect a model',
    [
      h('p', {}, `This machine has ${found.machine.memory_gb} GB of memory; ${gpus || 'no GPU was found'}.`),
      h('ul', { class: 'dl-modelengines' }, engines),
      field('for', role),
      offers,
      field('model or address', spec),
      said,
    ],
    [test, use],
    { cancel: 'Close' },
  );
  spec.focus();
}
