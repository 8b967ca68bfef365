// The dialog that connects a model: one that fits on the server's machine, or the address of a server. It is kept once it
// has answered.
import { h, signal } from '../components/component.js';
import { button, choice, held } from '../components/small_components.js';
import { report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { wanted } from '../keys/typing_ahead.js';
import { openDialog } from '../parts/dialog.js';
import { Waiting } from './request_progress.js';

/** @typedef {import('../wire.d.ts').components['schemas']} Schemas */
/** @typedef {Schemas['ModelOffers']} ModelOffers */
/** @typedef {Schemas['Choice']} Choice */
/** @typedef {import('../components/component.js').Children} Children */

const ROLES = { captioner: 'captions (sees pictures)', judge: 'answers and verdicts' };
const ENGINES = { llama: 'llama.cpp', vllm: 'vLLM' };

export async function connectModel() {
  const still = wanted();
  /** @type {ModelOffers} */
  const found = await api('/api/models');
  if (still()) new Connection(found);
}

class Connection {
  role = signal('captioner');
  spec = signal('');
  /** The request that was answered, while it is not kept yet. */
  tried = signal('');
  busy = signal(false);
  /** @type {import('../components/component.js').Signal<Children>} */
  said = signal(null);

  /** @param {ModelOffers} found */
  constructor(found) {
    this.found = found;
    const { node } = openDialog(
      'Connect a model',
      h(Offers, { connection: this }),
      h(Buttons, { connection: this }),
      { cancel: 'Close' },
    );
    /** @param {string} name */
    this.at = (name) => /** @type {HTMLElement} */ (node.querySelector(name));
    this.at('.dl-modelspec').focus();
  }

  get body() {
    return { role: this.role.value, spec: this.spec.value.trim() };
  }

  /** Another role or model than the one that answered. @param {{role?: string, spec?: string}} [what] */
  choose({ role = this.role.value, spec = this.spec.value } = {}) {
    this.role.value = role;
    this.spec.value = spec;
    this.tried.value = '';
    this.said.value = null;
  }

  async try() {
    const asked = this.body;
    if (!asked.spec || this.busy.value) {
      this.at('.dl-modelspec').focus();
      return;
    }
    this.choose();
    const waiting = new Waiting();
    waiting.say(`asking ${asked.spec}`);
    this.said.value = held(waiting.node);
    this.busy.value = true;
    try {
      /** @type {Schemas['TestCall']} */
      const answer = await api('/api/models/test', asked);
      if (JSON.stringify(asked) !== JSON.stringify(this.body)) return;
      this.tried.value = JSON.stringify(asked);
      this.said.value = [
        h('p', null, h('b', null, answer.model), ` answered in ${answer.seconds} s:`),
        h('p', { class: 'dl-hint' }, answer.question),
        h('pre', null, answer.reply || '(nothing)'),
      ];
      await null; // drawn, so that the button can take the focus
      this.at('[data-name=use-model]').focus();
      this.at('.dl-modelsaid').scrollIntoView({ block: 'nearest' }); // the reply is what one looks for
    } catch (error) {
      this.said.value = h('p', { class: 'dl-modelfailed' }, error.message);
      this.at('.dl-modelspec').focus();
    } finally {
      waiting.end();
      this.busy.value = false;
    }
  }

  async use() {
    if (this.tried.value !== JSON.stringify(this.body)) return;
    /** @type {Schemas['ModelKept']} */
    const kept = await api('/api/models/use', this.body);
    this.tried.value = '';
    const overruled = kept.overruled_by
      ? ` The server was started with ${kept.overruled_by}, which goes on to be used until it is started without.`
      : ' The next run uses it; select the videos and press Run.';
    this.said.value = h('p', null, `Saved: ${kept.role} = ${kept.spec}.${overruled}`);
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{connection: Connection}} props */
function Offers({ connection }) {
  const { found, role, spec, said } = connection;
  const { machine, engines, models } = found;
  const gpus = machine.gpus.map((gpu) => `${gpu.name}, ${gpu.memory_gb} GB`).join('; ');
  const roles = choice('What it is for', Object.entries(ROLES), role.value, (name) =>
    connection.choose({ role: name }),
  );
  return [
    h('p', null, `This machine has ${machine.memory_gb} GB of memory; ${gpus || 'no GPU was found'}.`),
    h(
      'ul',
      { class: 'dl-modelengines' },
      engines.map(({ engine, ok, found: why }) =>
        h('li', { key: engine }, h('b', null, `${engine}: `), ok ? 'installed' : why),
      ),
    ),
    h('label', { class: 'dl-field' }, h('span', null, 'for'), roles),
    h(
      'ul',
      { class: 'dl-modeloffers', 'aria-label': 'Open models' },
      models.filter((one) => one.roles.includes(role.value)).map((one) => offer(one, connection)),
    ),
    h(
      'label',
      { class: 'dl-field' },
      h('span', null, 'model or address'),
      h('input', {
        class: 'dl-input dl-modelspec',
        'aria-label': 'Model or address',
        placeholder: 'http://127.0.0.1:8000/v1#MODEL',
        spellcheck: false,
        autocomplete: 'off',
        maxLength: 500,
        value: spec.value,
        onInput: (event) => connection.choose({ spec: event.currentTarget.value }),
      }),
    ),
    h(
      'div',
      { class: 'dl-modelsaid', role: 'region', 'aria-live': 'polite', 'aria-label': 'Reply' },
      said.value,
    ),
  ];
}

/** @param {Choice} one @param {Connection} connection */
function offer(one, connection) {
  const memory = `${one.memory_gb} GB ${one.engine === 'vllm' ? 'of GPU memory' : 'of memory'}`;
  const facts = [`${one.billions} B`, one.licence, memory, one.tried, one.note];
  const take = () => {
    connection.choose({ spec: one.spec });
    connection.at('[data-name=try-model]').focus();
  };
  return h(
    'li',
    { key: one.spec, class: one.fits ? '' : 'dl-toolarge' },
    button(`${one.name} (${ENGINES[one.engine]})`, take, { kind: 'quiet' }),
    h('span', null, `${one.fits ? 'fits' : 'too large here'} · ${facts.filter(Boolean).join(' · ')}`),
  );
}

/** @param {{connection: Connection}} props */
function Buttons({ connection }) {
  const tool = (/** @type {Children} */ words, name, kind, disabled, act) =>
    h(
      'button',
      {
        type: 'button',
        class: `dl-button ${kind}`,
        'data-name': name,
        disabled,
        onClick: () => act().catch(report),
      },
      words,
    );
  return [
    tool(['Try it', h('kbd', null, 'Enter')], 'try-model', 'dl-button-main', connection.busy.value, () =>
      connection.try(),
    ),
    tool('Use it', 'use-model', '', !connection.tried.value, () => connection.use()),
  ];
}
