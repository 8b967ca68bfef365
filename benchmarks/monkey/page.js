// What the monkey sees of a page: controls by role and accessible name, what is called saved, what is under way.
// It uses nothing of the pages' own classes or attributes, so that they can be styled anew.
(() => {
  if (window.monkey) return;
  const inner = window.fetch.bind(window);
  const state = {
    under_way: 0,
    late_ms: 0,
    last: performance.now(),
    saved: [],
    said: [],
    passed: [],
    failures: [],
  };
  window.fetch = async (...request) => {
    state.under_way += 1;
    const late = /\/api\/(edit|text)$/.test(request[0].url || request[0]) ? state.late_ms : 0;
    if (late) state.late_ms = 0;
    try {
      const answer = await inner(...request);
      if (late) await new Promise((go) => setTimeout(go, late));
      return answer;
    } finally {
      state.under_way -= 1;
      state.last = performance.now();
    }
  };
  // An observer is told only of nodes that are in the page.
  const FIELD =
    'textarea, input:not([type]), input[type=text], input[type=search], input[type=number], input[type=password], [contenteditable=true]';
  const CONTROL =
    'button, a[href], summary, select, [role=tab], [role=option], [role=row], [role=button], input[type=checkbox], input[type=radio]';
  const NATIVE = {
    BUTTON: 'button',
    A: 'link',
    SUMMARY: 'button',
    SELECT: 'combobox',
    TEXTAREA: 'textbox',
    ARTICLE: 'article',
    SECTION: 'region',
    DIALOG: 'dialog',
    LI: 'listitem',
    TR: 'row',
    FORM: 'form',
    FIELDSET: 'group',
  };
  const INPUT = { checkbox: 'checkbox', radio: 'radio', search: 'searchbox', number: 'spinbutton' };
  const clean = (text) => (text || '').replace(/\s+/g, ' ').trim();

  const roleOf = (node) =>
    node.getAttribute('role') ||
    (node.tagName === 'INPUT' ? INPUT[node.type] || 'textbox' : NATIVE[node.tagName] || '');

  function words(node) {
    const copy = node.cloneNode(true);
    copy.querySelectorAll('kbd, [aria-hidden=true], svg').forEach((part) => part.remove());
    return clean(copy.textContent);
  }

  function nameOf(node) {
    const by = node.getAttribute('aria-labelledby');
    const label =
      node.getAttribute('aria-label') ||
      by
        ?.split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' ');
    if (label) return clean(label);
    if (node.matches('input, select, textarea'))
      return clean(node.labels?.[0] && words(node.labels[0])) || clean(node.placeholder || node.title);
    return words(node).slice(0, 120) || clean(node.title);
  }

  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const dialogs = () =>
    [...document.querySelectorAll('dialog:modal, [role=dialog][aria-modal=true]')].filter(seen);

  /** Where a click would reach the node; null where something covers it or it is out of sight. */
  function place(node) {
    const box = node.getBoundingClientRect();
    const x = Math.round(box.left + Math.min(box.width / 2, 40));
    const y = Math.round(box.top + Math.min(box.height / 2, 12));
    if (!box.width || !box.height || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return null;
    const top = document.elementFromPoint(x, y);
    return top &&
      (node.contains(top) || (node.labels && [...node.labels].some((label) => label.contains(top))))
      ? [x, y]
      : null;
  }

  const SCOPES = 'article, section, dialog, li, tr, form, fieldset, [role]';
  function scopes(node) {
    const found = [];
    for (let at = node.parentElement?.closest(SCOPES); at; at = at.parentElement?.closest(SCOPES)) {
      const role = roleOf(at);
      if (['listitem', 'article', 'region', 'dialog', 'row', 'group', 'form', 'tabpanel'].includes(role))
        found.push([role, clean(at.getAttribute('aria-label')), clean(at.textContent).slice(0, 60)]);
    }
    return found;
  }

  /** The words of the state beside a field: in the closest part of the page that holds this field alone. */
  function stateOf(field) {
    for (let at = field.parentElement; at && at.querySelectorAll(FIELD).length === 1; at = at.parentElement) {
      const status = at.querySelector('[role=status]');
      if (status) return clean(status.textContent);
    }
    return '';
  }

  const valueIn = (field) => (field.isContentEditable ? field.textContent : field.value);
  const described = (field) => ({
    role: roleOf(field),
    name: nameOf(field),
    value: valueIn(field),
    scopes: scopes(field),
    state: stateOf(field),
    secret: field.type === 'password',
    closed: Boolean(field.readOnly || field.disabled || field.getAttribute('aria-readonly') === 'true'),
    focused: field === document.activeElement,
    at: place(field),
    room: field.maxLength > 0 ? field.maxLength - field.value.length : 10000,
  });

  const me = () => {
    const chosen = [...document.querySelectorAll('select')].find((node) => /^you are/i.test(nameOf(node)));
    const text = chosen
      ? chosen.selectedOptions[0]?.textContent
      : [...document.querySelectorAll('header *')]
          .map((node) => (node.children.length ? '' : clean(node.textContent)))
          .find((line) => / · (annotator|expert|researcher|admin)$/.test(line));
    return clean(text);
  };

  /** The question that is open, as it is to be read; empty while it is being written. */
  function asked() {
    const article = document.querySelector('article[aria-label="This question"]');
    const written =
      article && [...article.querySelectorAll(FIELD)].some((field) => nameOf(field) === 'question');
    return article && !written ? clean(article.textContent).slice(0, 600) : '';
  }

  /** What a person reads of the thing that is open, wherever it stands. */
  const about = () => ({
    url: scrubbed(location.href),
    person: me(),
    heading: clean(document.querySelector('h1')?.textContent),
    scenes: document.querySelectorAll('[role=list][aria-label=Scenes] > [role=listitem]').length,
    asked: asked(),
  });

  const scrubbed = (url) => url.replace(location.origin, '');

  // --- what is called saved -----------------------------------------------------------

  function tell(node) {
    const status = (node.nodeType === 1 ? node : node.parentElement)?.closest?.(
      '[role=status], [role=alert]',
    );
    if (!status) return;
    // Notices come and go one by one in their region.
    const lines = status.matches('.dl-notices') ? [...status.children] : [status];
    for (const line of lines) tellLine(status, line);
  }

  function tellLine(status, line) {
    const text = clean(line.textContent);
    if (!text || line.monkeySaid === text) return;
    line.monkeySaid = text;
    let field = null;
    for (let at = status.parentElement; at && !field; at = at.parentElement) {
      const fields = at.querySelectorAll(FIELD);
      if (fields.length > 1) break;
      [field] = fields;
    }
    if (field && /^Saved\b/.test(text)) state.saved.push({ ...described(field), text, ...about() });
    else if (!field || !/^(Saving|Not saved)/.test(text)) state.said.push({ text, ...about() });
  }
  // Keys that wait for what is on its way are given to it at once: it may be gone again before anybody looks.
  let passing = '';
  function pass() {
    const now = [location.href, clean(document.querySelector('h1')?.textContent), asked()].join('\n');
    if (now === passing) return;
    passing = now;
    state.passed.push(about());
  }

  const watch = new MutationObserver((changes) => {
    pass();
    for (const { target, addedNodes } of changes) {
      tell(target);
      for (const node of addedNodes)
        if (node.nodeType === 1) {
          tell(node);
          node.querySelectorAll('[role=status], [role=alert]').forEach(tell);
        }
    }
  });
  watch.observe(document, { subtree: true, childList: true, characterData: true });

  // --- what is asked from outside -----------------------------------------------------

  /** What people have changed in the list of keys, and know then: by the person. */
  const KEYS = 'dailies-keys:';
  const ownKeys = () =>
    Object.fromEntries(
      Object.entries(localStorage)
        .filter(([key]) => key.startsWith(KEYS))
        .map(([key, value]) => [key.slice(KEYS.length), JSON.parse(value)]),
    );

  const ready = () => Boolean(document.querySelector('main')?.childElementCount);

  function look() {
    const over = dialogs().at(-1);
    const root = over || document.body || document.documentElement;
    const fields = [...root.querySelectorAll(FIELD)].filter(seen);
    const controls = [...root.querySelectorAll(CONTROL)].filter((node) => seen(node) && !node.disabled);
    const focus = document.activeElement;
    return {
      ...about(),
      document: performance.timeOrigin,
      ready: ready(),
      own_keys: ownKeys(),
      dialog: over ? nameOf(over) : '',
      fields: fields.map(described),
      controls: controls
        .map((node) => ({
          role: roleOf(node),
          name: nameOf(node),
          at: place(node),
          pressed: node.getAttribute('aria-pressed') === 'true',
          selected:
            node.getAttribute('aria-selected') === 'true' || node.getAttribute('aria-current') === 'true',
          group: clean(
            node.closest('[role=group], [role=listbox], [role=tablist], nav')?.getAttribute('aria-label'),
          ),
        }))
        .filter((control) => control.at),
      focus:
        focus && focus !== document.body
          ? { role: roleOf(focus), name: nameOf(focus), text: focus.matches(FIELD) && !focus.readOnly }
          : null,
      ...told(),
    };
  }

  /** What the page has said since this was asked the last time. */
  function told() {
    const { saved, said, passed } = state;
    Object.assign(state, { saved: [], said: [], passed: [] });
    return { saved, said, passed };
  }

  /** Whether nothing is under way: `still` for so many milliseconds, with nothing that waits to be saved. */
  function calm(still) {
    if (document.querySelector('input[type=password]')) return true;
    const waits = [...document.querySelectorAll('[role=status]')].some(
      (node) => seen(node) && /^(Saving|Not saved yet)/.test(clean(node.textContent)),
    );
    return !waits && !state.under_way && performance.now() - state.last > still && ready();
  }

  /** The answer to the next text that is saved comes so much later. */
  const delayAnswer = (ms) => {
    state.late_ms = ms;
  };

  /** Of each text whether it stands in a field, else whether it is to be read: `field`, `page` or empty. */
  const shows = (texts) => {
    const fields = [...document.querySelectorAll(FIELD)].map(valueIn).join('\n');
    // biome-ignore lint/performance/useDomNodeTextContent: only what is in sight counts
    const page = clean(document.body?.innerText);
    return texts.map((text) => (fields.includes(text) ? 'field' : page.includes(clean(text)) ? 'page' : ''));
  };

  const answered = (request) =>
    new Promise((go, stop) => {
      request.onsuccess = () => go(request.result);
      request.onerror = () => stop(request.error);
    });

  /** All that is kept in the browser's own storage, as text: [key, value]. */
  async function drafts() {
    const kept = Object.entries(localStorage).map(([key, value]) => [key, value]);
    if (!(await indexedDB.databases()).some(({ name }) => name === 'dailies-drafts')) return kept;
    const database = await answered(indexedDB.open('dailies-drafts'));
    try {
      for (const name of database.objectStoreNames) {
        const store = database.transaction(name).objectStore(name);
        const [keys, values] = await Promise.all([answered(store.getAllKeys()), answered(store.getAll())]);
        keys.forEach((key, n) => kept.push([JSON.stringify(key), JSON.stringify(values[n])]));
      }
    } finally {
      database.close();
    }
    return kept;
  }

  /** Whether a click at this place puts the caret into the text of a field. */
  const isText = ([x, y]) => Boolean(document.elementFromPoint(x, y)?.closest(FIELD));

  window.monkey = { look, told, calm, delayAnswer, shows, drafts, isText };
})();
