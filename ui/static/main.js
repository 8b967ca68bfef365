// The one script that a document names: it draws the page that the root asks for.
const pages = {
  library: () => import('./library/page_library.js'),
  script: () => import('./script/page_script.js'),
  verdicts: () =>
    new URLSearchParams(location.search).get('of')
      ? import('./verdicts/page_items.js')
      : import('./verdicts/page_verdicts.js'),
  split: () => import('./split/page_split.js'),
  keyframes: () => import('./keyframes/page_keyframes.js'),
  scores: () => import('./scores/page_scores.js'),
};

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
    root.append(
      Object.assign(document.createElement('p'), {
        className: 'dl-empty',
        role: 'alert',
        textContent: `This page could not be shown: ${error.message}`,
      }),
    );
  }
}

draw(document.querySelector('.dl-root'));
