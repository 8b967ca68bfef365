// What the server gives, as a file; its refusal is a message, not a file.
import { fetched, h } from './elements_and_requests.js';

/** @param {string} url */
export async function download(url) {
  const answer = await fetched(url);
  if (!answer.ok)
    throw new Error((await answer.json().catch(() => ({}))).error || `the server answered ${answer.status}`);
  const name = /filename="?([^";]+)"?/.exec(answer.headers.get('content-disposition') || '')?.[1] || 'export';
  const link = h('a', { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
