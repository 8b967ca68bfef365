// Cuts on the lane of scenes: whose they are, and what another detection would change.
import { h } from './elements.js';
import { clock, frameName } from './words.js';

const BY = { detector: 'cut found by the detector', person: 'cut by a person' };

/** Lines between the scenes. `placed` gives the style of a stretch of seconds, null when it is out of sight. */
export function cutCells(player, placed) {
  const { scenes, cutBy = {}, compare } = player.data;
  const at = (seconds) => placed(player, seconds, seconds + 1e-3)?.left;
  const line = (seconds, kind, title, sign = '') => {
    const left = at(seconds);
    return left === undefined
      ? null
      : h('span', { class: `dl-cut dl-cut-${kind}`, style: { left }, title }, sign ? h('b', {}, sign) : null);
  };
  const own = scenes
    .filter((scene) => cutBy[scene.key])
    .map((scene) =>
      line(
        scene.start_s,
        cutBy[scene.key],
        `${BY[cutBy[scene.key]]}: ${frameName(scene.start)} · ${clock(scene.start_s)}`,
      ),
    );
  if (!compare) return own;
  return [
    own,
    compare.added.map((cut) =>
      line(cut.at_s, 'added', `would be added: ${frameName(cut.frame)} · ${clock(cut.at_s)}`, '+'),
    ),
    compare.removed.map((cut) =>
      line(cut.at_s, 'removed', `would be removed: ${frameName(cut.frame)} · ${clock(cut.at_s)}`, '×'),
    ),
    compare.moved.map((cut) =>
      line(
        cut.to_s,
        'moved',
        `would move here from ${frameName(cut.frame)}: ${frameName(cut.to)} · ${clock(cut.to_s)}`,
        cut.to > cut.frame ? '→' : '←',
      ),
    ),
  ];
}
