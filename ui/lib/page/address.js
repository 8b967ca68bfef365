// The address bar: what is open has a link.

/** @typedef {Object<string, string | number | boolean | null | undefined>} Query what is empty is left out */

/**
 * @param {URLSearchParams} query
 * @param {Query} values
 */
function withValues(query, values) {
  for (const [name, value] of Object.entries(values))
    if (value === '' || value === null || value === undefined) query.delete(name);
    else query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}

export const address = {
  /** @param {string} name */
  get: (name) => new URLSearchParams(location.search).get(name) || '',
  /** @param {Query} values */
  set(values) {
    const query = withValues(new URLSearchParams(location.search), values);
    history.replaceState(history.state, '', location.pathname + query);
    document.dispatchEvent(new CustomEvent('dl-address'));
  },
  /**
   * The link to a page.
   * @param {string} page
   * @param {Query} [values]
   */
  to: (page, values = {}) => `/${page}${withValues(new URLSearchParams(), values)}`,
};
