// People who know the keys type ahead: what they press while the next item is on its way is meant for that one.
import { report } from './core.js';

export class TypedAhead {
  moving = Promise.resolve();

  /** On the way to something else: a promise. */
  go(move) {
    this.moving = move.catch(report);
    return this.moving;
  }

  /** Runs `act` when what is asked for is open. */
  then(act) { return this.moving.then(act).catch(report); }
}
