// What a job would ask of models, before it starts, and the fields that cap it.
import { h } from './elements.js';
import { plural } from './words.js';
import { api } from '../requests/requests.js';

/** @typedef {import('../wire.d.ts').components['schemas']['JobEstimate']} JobEstimate */
/** @typedef {{most_calls?: number, most_cost?: number}} Caps as the routes take them */

/** @param {number} n */
const whole = (n) => n.toLocaleString('en');

/** @param {number} seconds */
const time = (seconds) =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${whole(Math.round(seconds / 60))} min`;

/** @param {number} cost */
const money = (cost) =>
  cost >= 0.1 ? cost.toLocaleString('en', { maximumFractionDigits: 2 }) : cost.toPrecision(2);

/**
 * The estimate in words: how many calls, and what they take; notes say what it rests on.
 * @param {JobEstimate} found
 */
export function estimateWords(found) {
  const free = found.lines.filter((line) => line.baseline).reduce((sum, line) => sum + line.calls, 0);
  const models = [...new Set(found.lines.filter((l) => !l.baseline && l.calls).map((l) => l.model))];
  const facts = [
    `${whole(found.prompt_tokens)} + ${whole(found.completion_tokens)} tokens`,
    found.seconds === null ? 'time not known' : time(found.seconds),
    found.cost === null ? '' : `${money(found.cost)} ${found.currency}`.trim(),
  ];
  const none = free
    ? `No model is asked: the embedded baseline answers ${plural(free, 'request')} at no cost. It writes down what was measured and compares words; an admin connects a model in the menu at their name.`
    : 'No requests to send: all replies are stored, or there is nothing to do.';
  const kept = found.kept ? ` · ${whole(found.kept)} replies are stored already` : '';
  return {
    calls: found.calls ? `about ${plural(found.calls, 'call')} to ${models.join(', ')}` : '',
    rest: (found.calls ? ` · ${facts.filter(Boolean).join(' · ')}` : none) + kept,
    notes: found.notes,
  };
}

/** @param {JobEstimate} found */
function estimateLines(found) {
  const { calls, rest, notes } = estimateWords(found);
  return [
    h('p', {}, calls ? h('b', {}, calls) : null, rest),
    ...notes.map((note) => h('p', { class: 'dl-hint' }, note)),
  ];
}

/**
 * Asks for an estimate and shows it. `ask()` may be called again: the latest counts.
 * @param {() => object | null} body of the request; null while there is nothing to ask about
 */
export function estimateOfJob(body) {
  const node = h('div', { class: 'dl-estimate', role: 'status' });
  let turn = 0;
  const ask = async () => {
    const mine = ++turn;
    const asked = body();
    if (!asked) return node.replaceChildren();
    node.replaceChildren(h('p', { class: 'dl-hint' }, 'counting what models would be asked …'));
    try {
      const found = await api('/api/jobs/estimate', asked);
      if (mine === turn) node.replaceChildren(...estimateLines(found));
    } catch (error) {
      if (mine === turn) node.replaceChildren(h('p', { class: 'dl-hint' }, `no estimate: ${error.message}`));
    }
  };
  return { node, ask };
}

/** Fields for the most that a job may take. Empty: no cap; `caps()` throws for what is no number. */
export function capFields() {
  /** @type {(name: string, words: string) => HTMLInputElement} */
  const field = (name, words) =>
    h('input', { class: 'dl-input', type: 'text', inputmode: 'decimal', name, 'aria-label': words, size: 8 });
  const calls = field('most-calls', 'Most calls of models');
  const cost = field('most-cost', 'Most cost');
  /** @param {HTMLInputElement} input @param {string} words @param {boolean} integer */
  const read = (input, words, integer) => {
    const typed = input.value.trim();
    if (!typed) return undefined;
    const value = Number(typed);
    if (!(value > 0) || !Number.isFinite(value) || (integer && !Number.isInteger(value)))
      throw new Error(`${words}: type a ${integer ? 'whole ' : ''}number above 0, or nothing`);
    return value;
  };
  return {
    node: h(
      'p',
      { class: 'dl-caps' },
      'Stop after',
      calls,
      'calls of models, or before',
      cost,
      'of cost (prices in settings.toml)',
    ),
    /** @returns {Caps} */
    caps: () => ({
      most_calls: read(calls, 'calls', true),
      most_cost: read(cost, 'cost', false),
    }),
  };
}
