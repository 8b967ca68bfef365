// People who know the keys type ahead: what they press while the next item is on its way is meant for that one.
import { report, whileOpen } from '../parts/core.js';
import { onTheWay, wanted } from '../keys/pending_keys.js';
import { replacing, requireSaved } from './save_before_leaving.js';

export class TypedAhead {
  /**
   * All that was gone to: an older question may come last, and until then nothing can be typed in its place.
   * @type {Promise<unknown>}
   */
  moving = Promise.resolve();

  /** On the way to something else: a promise. */
  go(move) {
    const come = move.catch(report);
    this.moving = Promise.all([this.moving, come]);
    return come;
  }

  /** Runs `act` when what is asked for is open; gives what it gives. A field that nobody waits for any more stays shut. */
  afterMove(act) {
    const still = wanted();
    return this.moving.then(() => (still() ? act() : null));
  }
}

/**
 * What is open in `node` is saved and drawn anew, or left: nothing can be typed or chosen there any more, and keys are
 * for what comes after it.
 * @template Result
 * @param {HTMLElement} node
 * @param {() => Promise<Result>} act
 */
export const finishing = (node, act) => onTheWay(replacing([node], act));

/**
 * On to another line of a list: what is open in `page.panel` is saved first, then `arrive` draws the other. Meanwhile
 * nothing can be typed there. Where either fails, what was open stays open; where nothing was, keys count from this
 * line. The page holds {list, panel, openId, openIndex, right}.
 */
export async function leaveFor(page, id, index, arrive) {
  const { openId, openIndex } = page;
  Object.assign(page, { openId: id, openIndex: index });
  page.list.select(index);
  try {
    await replacing([page.right], async () => {
      await whileOpen(Promise.resolve(page.panel?.leave()).then(requireSaved));
      await arrive();
    });
  } catch (error) {
    if (page.openId === id && openId !== undefined) {
      Object.assign(page, { openId, openIndex });
      page.list.select(openIndex);
    }
    throw error;
  }
}
