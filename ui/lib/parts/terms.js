// Words that not everybody knows, each with what it means; components/term.js shows it.
/** @type {Object<string, string>} */
const MEANING = {
  kappa:
    'Cohen’s kappa: how far two judges agree beyond what chance alone would give. 1 is always, 0 no more than chance.',
  ac1: 'Gwet’s AC1: agreement beyond chance, as kappa, but steady where nearly all verdicts are the same.',
  policy:
    'A rule (policy) says which verdicts are counted and how: each column is the rule of one peer, or of ours. Point at its name to read it.',
  ceiling:
    'What the reference captions themselves reach with the same questions and judge: no caption can be asked for more.',
  stages:
    'The steps of a run, such as cutting into scenes, speech, captions, questions and verdicts: one box each, ticked when done.',
  aspect:
    'Questions about a video are grouped by aspect, such as camera or background. This is the aspect whose verdicts have the lowest mean, from 0 (nothing right) to 5 (all right).',
  mean: 'The mean score of the verdicts, from 0 (nothing right) to 5 (all right), and how many of them could be counted.',
  verdicts:
    'For each question a judge compares the answer from the caption with the reference answer: yes (the same) or no, with a score from 0 to 5.',
  yes: 'The judge finds the answer from the caption the same as the reference.',
  no: 'The judge finds the answer from the caption different from the reference.',
  unparsed: 'The judge’s reply could not be read as yes or no.',
  failed: 'The request to the judge failed.',
  missing: 'The question has no verdict yet.',
};

/**
 * What a word means.
 * @param {string} name
 */
export const meaningOf = (name) => MEANING[name];
