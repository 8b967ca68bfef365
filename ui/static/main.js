// Each Gradio page holds one gr.HTML component, which calls this with its element and the page's name.
const pages = {
  library: () => import('./page_library.js'),
  script: () => import('./page_script.js'),
  verdicts: () => (new URLSearchParams(location.search).get('of') ? import('./page_items.js') : import('./page_verdicts.js')),
  split: () => import('./page_split.js'),
  keyframes: () => import('./page_keyframes.js'),
  scores: () => import('./page_scores.js'),
};

export async function mount(element, page) {
  const root = element.querySelector('.dl-root') || element;
  try {
    const [{ shell }, module] = await Promise.all([import('./shell.js'), pages[page]()]);
    const frame = await shell(root, page);
    await module.show(frame);
    root.dataset.ready = 'true';
    if (frame.can('edit')) import('./draft_sender.js').then((sender) => sender.sendDraftsLater());
  } catch (error) {
    console.error(error);
    root.append(Object.assign(document.createElement('p'), { className: 'dl-empty', role: 'alert', textContent: `This page could not be shown: ${error.message}` }));
  }
}
