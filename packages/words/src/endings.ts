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

/** `stopped`. Unknown stop reasons of engines: `ended: pause turn`. */
export const endingText = (stopReason: string): string => endings.get(stopReason) ?? `ended: ${nameText(stopReason)}`

/** True if the conversation ended because it was branched or imported, not because of a failure. */
export const isPlace = (stopReason: string): boolean => stopReason === 'branched' || stopReason === 'imported'
