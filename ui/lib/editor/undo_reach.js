// What undo and redo may take on a page: annotation/editing/undo_reach.py keeps to it.

/** @typedef {{video_id?: string, workspace?: boolean, action_id?: string}} Reach */

/**
 * Decisions on the video of the page, where it shows one; on Library and Scores every decision.
 * @param {import('../parts/pages.js').PageFacts['shows']} shows what the page shows
 * @param {(name: string) => string} get a value of the address; empty where it has none
 * @returns {Reach}
 */
export function reachOf(shows, get) {
  if (shows === 'videos' || shows === 'scores') return {};
  const many = shows === 'questions' ? !get('only') : get('view') === 'study';
  return { video_id: many ? '' : get('video'), workspace: false };
}
