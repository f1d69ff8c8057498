/** Seeds that found a bug, with the bug of each. Some run each day, and all in `npm run test:long`. */
export const keptSeeds: readonly (readonly [seed: number, found: string])[] = [
  [1, 'a branch that is not written yet went on with its parent’s run'],
  [2, 'a watcher that caught up read what was not published yet, and got it twice'],
  [6, 'a branch of a re-created session was opened beyond its branch point'],
  [8, 'a command met a session that had just been evicted, and failed'],
  [10, 'a session was opened while it was being removed'],
  [11, 'a run whose runner stopped without a word stayed running'],
  [13, 'a frame that came twice was merged into the text twice'],
  [25, 'a branch into a session that exists, whose head happened to be the branch point'],
  [33, 'a session that could not be opened once was left alone for ever'],
  [85, 'a prompt that expired in the queue was told as cancelled; two removals at once'],
  [115, 'two sessions of one key in one process, opened in the same moment'],
  [224, 'an approval of a question that was listed and not yet folded had no digest'],
  [395, 'a removal failed while an append was on its way, which then landed behind the next owner’s back'],
  [1530566751, 'a script that went on with a handle from before its last text said that text again'],
]
