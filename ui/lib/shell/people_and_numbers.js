// The parts of the dialog that shares work out: people to choose, alone or by role, and numbers.
import { h } from '../parts/elements.js';

/** @typedef {import('./assign.js').Queue['people'][number]} Taker a person to whom work may be given */

/** One box for each person who may have a role. */
export class Boxes {
  /**
   * @param {string} role may be empty
   * @param {Taker[]} people
   * @param {string[]} chosen
   * @param {() => void} follow
   */
  constructor(role, people, chosen = [], follow) {
    this.role = role;
    this.byId = new Map(
      people.map(({ id, name }) => [
        id,
        h('input', {
          type: 'checkbox',
          checked: chosen.includes(id),
          'aria-label': role ? `${name}: ${role}` : name,
          onchange: follow,
        }),
      ]),
    );
  }

  chosen() {
    return [...this.byId].filter(([, box]) => box.checked).map(([id]) => id);
  }
}

/**
 * @param {Taker[]} people
 * @param {Boxes} boxes
 */
export const peopleList = (people, boxes) =>
  h(
    'fieldset',
    { class: 'dl-sharepeople' },
    h('legend', {}, 'People'),
    people.map(({ id, name }) => h('label', {}, boxes.byId.get(id), name)),
  );

/**
 * People by roles.
 * @param {Taker[]} people
 * @param {Boxes[]} roles
 */
export const rolesTable = (people, roles) =>
  h(
    'table',
    { class: 'dl-shareroles', 'aria-label': 'Who does what' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'person'),
        roles.map(({ role }) => h('th', { scope: 'col' }, role)),
      ),
    ),
    h(
      'tbody',
      {},
      people.map(({ id, name }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, name),
          roles.map(({ byId }) => h('td', {}, byId.has(id) ? h('label', {}, byId.get(id)) : null)),
        ),
      ),
    ),
  );

/**
 * @param {string} label
 * @param {string} value
 * @param {() => void} follow
 * @param {number} min
 */
export const number = (label, value, follow, min) =>
  h('input', {
    type: 'number',
    class: 'dl-input',
    'aria-label': label,
    value,
    min: String(min),
    step: '1',
    oninput: follow,
  });
