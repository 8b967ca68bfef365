// The parts of the dialog that shares work out: people to choose, alone or by role, and numbers.
import { h, signal } from '../components/component.js';

/** @typedef {import('./assign.js').Queue['people'][number]} Taker a person to whom work may be given */

/** Who is chosen for a role, of those who may have it. */
export class Role {
  /**
   * @param {string} name may be empty
   * @param {Taker[]} people
   * @param {string[]} chosen
   * @param {() => void} follow
   */
  constructor(name, people, chosen = [], follow) {
    this.name = name;
    this.people = people;
    this.ids = signal(new Set(chosen));
    this.follow = follow;
  }

  /** @param {string} id */
  toggle(id) {
    const ids = new Set(this.ids.value);
    if (!ids.delete(id)) ids.add(id);
    this.ids.value = ids;
    this.follow();
  }

  chosen() {
    return this.people.map(({ id }) => id).filter((id) => this.ids.value.has(id));
  }
}

/** @param {{role: Role, person: Taker}} props */
const Box = ({ role, person: { id, name } }) =>
  h('input', {
    type: 'checkbox',
    'aria-label': role.name ? `${name}: ${role.name}` : name,
    checked: role.ids.value.has(id),
    onChange: () => role.toggle(id),
  });

/** @param {{role: Role}} props */
export const PeopleList = ({ role }) =>
  h(
    'fieldset',
    { class: 'dl-sharepeople' },
    h('legend', null, 'People'),
    role.people.map((person) => h('label', { key: person.id }, h(Box, { role, person }), person.name)),
  );

/**
 * People by roles.
 * @param {{people: Taker[], roles: Role[]}} props
 */
export const RolesTable = ({ people, roles }) =>
  h(
    'table',
    { class: 'dl-shareroles', 'aria-label': 'Who does what' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('th', { scope: 'col' }, 'person'),
        roles.map(({ name }) => h('th', { key: name, scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      null,
      people.map((person) =>
        h(
          'tr',
          { key: person.id },
          h('th', { scope: 'row' }, person.name),
          roles.map((role) =>
            h(
              'td',
              { key: role.name },
              role.people.includes(person) ? h('label', null, h(Box, { role, person })) : null,
            ),
          ),
        ),
      ),
    ),
  );

/**
 * @param {string} label
 * @param {import('../components/component.js').Signal<string>} value
 * @param {() => void} follow
 * @param {number} min
 * @param {string} [placeholder]
 */
export const number = (label, value, follow, min, placeholder) =>
  h('input', {
    type: 'number',
    class: 'dl-input',
    'aria-label': label,
    value: value.value,
    min: String(min),
    step: '1',
    placeholder,
    onInput: (event) => {
      value.value = event.currentTarget.value;
      follow();
    },
  });
