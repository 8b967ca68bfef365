// People who know the keys type ahead: what they press while the next item is on its way is meant for that one.
import { whileOpen } from '../page/open_page.js';
import { report } from '../parts/notices.js';
import { onTheWay, wanted } from '../keys/typing_ahead.js';
import { replacing, requireSaved } from './save_before_leaving.js';

export class TypedAhead {
  /**
   * All that was gone to: an older question may come last, and until then nothing can be typed in its place.
   * @type {Promise<unknown>}
   */
  moving = Promise.resolve();

  /** Acts that wait for what is on its way, and when the last of them has begun. */
  waiting = 0;
  /** @type {Promise<unknown>} */
  begun = Promise.resolve();
  /** @type {Promise<unknown>} when all of them are over */
  ended = Promise.resolve();

  /**
   * On the way to something else: `move` starts it and is given what was on its way before. What was pressed for the
   * item before goes first, also where that is still to come.
   * @param {(before: Promise<unknown>) => Promise<unknown>} move
   */
  go(move) {
    const { moving } = this;
    const come = (this.waiting ? this.begun.then(() => move(moving)) : move(moving)).catch(report);
    this.moving = Promise.all([moving, come]);
    return come;
  }

  /** Runs `act` when what is asked for is open; gives what it gives. A field that nobody waits for any more stays shut. */
  afterMove(act, moved = this.moving) {
    const still = wanted();
    this.waiting += 1;
    const begun = moved.then(() => {
      this.waiting -= 1;
      return { end: still() ? act() : null }; // in an object: who waits for its begin does not wait for its end
    });
    this.begun = Promise.all([this.begun, begun]).catch(() => null); // whoever called hears of what it throws
    const ended = begun.then(({ end }) => end);
    this.ended = Promise.allSettled([this.ended, ended]);
    return ended;
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
