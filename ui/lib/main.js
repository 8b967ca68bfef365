// The one script that a document names: it draws the page that the root asks for.
const pages = {
  library: () => import('../pages/library/scripts/page_library.js'),
  script: () => import('../pages/script/scripts/page_script.js'),
  verdicts: () =>
    new URLSearchParams(location.search).get('of')
      ? import('../pages/verdicts/scripts/page_items.js')
      : import('../pages/verdicts/scripts/page_verdicts.js'),
  split: () => import('../pages/split/scripts/page_split.js'),
  keyframes: () => import('../pages/keyframes/scripts/page_keyframes.js'),
  scores: () => import('../pages/scores/scripts/page_scores.js'),
};

const LOOK_AGAIN_MS = 2000; // for a server that does not answer

async function draw(root) {
  const { page } = root.dataset;
  try {
    const [{ shell }, { onTheWay }, module] = await Promise.all([
      import('./shell/shell.js'),
      import('./keys/keymap.js'),
      pages[page](),
    ]);
    const frame = await shell(root, page);
    await onTheWay(module.show(frame)); // keys that are pressed before the page is there are about what it will show
    root.dataset.ready = 'true';
    if (frame.can('edit')) import('./editor/send_old_drafts.js').then((sender) => sender.sendDraftsLater());
  } catch (error) {
    console.error(error);
    await sayWhatFailed(root, error);
  }
}

/**
 * Offers to load the page again, and does so once a server that was away answers.
 * @param {HTMLElement} root
 * @param {Error} error
 */
async function sayWhatFailed(root, error) {
  const why = document.createElement('p');
  const again = Object.assign(document.createElement('button'), {
    className: 'dl-button',
    textContent: 'Try again',
    onclick: () => location.reload(),
  });
  const box = Object.assign(document.createElement('div'), {
    className: 'dl-empty dl-failed',
    role: 'alert',
  });
  box.append(why, again);
  root.append(box);
  again.focus();
  why.textContent = `This page could not be shown: ${error.message}`;
  if (await serverAnswers()) return;
  why.textContent = 'The server does not answer. The page comes back by itself when it does.';
  while (!(await serverAnswers())) await new Promise((go) => setTimeout(go, LOOK_AGAIN_MS));
  location.reload();
}

const serverAnswers = () =>
  fetch('/healthz').then(
    () => true,
    () => false,
  );

draw(document.querySelector('.dl-root'));
