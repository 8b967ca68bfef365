// What is said of the chosen evaluation where it has no verdict, in place of an empty list or table.

/** @param {import('../shell/top_bar.js').Frame['evaluation']} evaluation */
export function meansAlone({ all, node }) {
  const { value: chosen } = /** @type {HTMLSelectElement} */ (node.querySelector('select'));
  const note = all.find(({ id }) => id === chosen)?.note;
  return `This evaluation has no verdicts: its log holds means over all videos alone, or what it holds has not been judged yet.${note ? ` ${note}.` : ''}`;
}
