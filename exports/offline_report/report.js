// Filters of a report. Not a module, because pages opened from the disk cannot load modules.
(() => {
  const questions = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.q')]);
  const count = /** @type {HTMLElement} */ (document.getElementById('count'));
  const field = (name) => /** @type {HTMLInputElement} */ (document.getElementById(name));
  const text = new Map();

  function textOf(question) {
    if (!text.has(question)) text.set(question, question.textContent.toLowerCase());
    return text.get(question);
  }

  function show() {
    const [state, aspect, video] = ['state', 'aspect', 'video'].map((name) => field(name).value);
    const words = field('words').value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const question of questions) {
      const { dataset } = question;
      const fits =
        (!state || dataset.state === state || (state === 'corrected' && 'corrected' in dataset)) &&
        (!aspect || dataset.aspect === aspect) &&
        (!video || dataset.video === video) &&
        words.every((word) => textOf(question).includes(word));
      question.hidden = !fits;
      if (fits) shown += 1;
    }
    const all = questions.length;
    count.textContent = shown === all ? `${all} questions` : `${shown} of ${all} questions`;
  }

  for (const name of ['state', 'aspect', 'video', 'words']) field(name).addEventListener('input', show);

  const linked = document.getElementById(location.hash.slice(1));
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    linked.scrollIntoView();
  }
  show();
})();
