// What the server gives, as a file; its refusal is a message, not a file.
import { h } from './elements.js';
import { fetched } from '../requests/requests.js';

/**
 * The name of the file; names with spaces or letters beyond ASCII come percent-encoded, as `filename*=utf-8''...`.
 * @param {string} disposition
 */
export function nameIn(disposition) {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/.exec(disposition)?.[1] || 'export';
}

/** @param {string} url */
export async function download(url) {
  const answer = await fetched(url);
  if (!answer.ok)
    throw new Error((await answer.json().catch(() => ({}))).error || `the server answered ${answer.status}`);
  const name = nameIn(answer.headers.get('content-disposition') || '');
  const link = h('a', { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
