// The end of an answer: why it ended, where that is not plain.
import { nameText } from './fields.ts'

const endings: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'stopped'],
  ['interrupted', 'a listener interrupted the answer: this is what was heard'],
  ['max_tokens', 'the answer is cut off: it reached the limit of the model'],
  ['length', 'the answer is cut off: it reached the limit of the model'],
  ['refusal', 'the model refused to answer'],
  ['content_filter', 'the provider withheld the rest'],
  ['branched', 'the branch begins here'],
  ['imported', 'the imported session ends here'],
])

/** The words of a stop reason: `stopped`. An engine may report any other: `ended: pause turn`. */
export const endingText = (stopReason: string): string => endings.get(stopReason) ?? `ended: ${nameText(stopReason)}`

/** Places in the history: nothing went wrong there. */
export const isPlace = (stopReason: string): boolean => stopReason === 'branched' || stopReason === 'imported'
