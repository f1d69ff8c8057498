// The difference between two lists of directives, as a reader of the streaming profile applies it.
import type { ActionDirective, DirectiveChange } from '../wire.ts'

/** The changes that make the second list of the first. `before` null = nobody knows what the reader has: everything is sent. */
export const directiveChanges = (
  before: readonly ActionDirective[] | null,
  after: readonly ActionDirective[],
): readonly DirectiveChange[] => {
  const changes: DirectiveChange[] = []
  let index = 0
  for (; before && index < before.length; index++) {
    const change = after[index] && changeAt(index, before[index]!, after[index]!)
    if (change === undefined) break
    if (change) changes.push(change)
  }
  if (index === after.length && index !== before?.length) changes.push({ index, directive: null })
  for (; index < after.length; index++) changes.push({ index, directive: after[index]! })
  return changes
}

/** Null = both are the same; undefined = the one must be replaced with the other. */
const changeAt = (
  index: number,
  before: ActionDirective,
  after: ActionDirective,
): DirectiveChange | null | undefined => {
  if (before === after) return null
  const texts = [messageText(before), messageText(after)] as const
  if (JSON.stringify(withoutText(before, texts[0])) !== JSON.stringify(withoutText(after, texts[1]))) return undefined
  if (texts[0] === texts[1]) return null
  if (texts[0] === null || texts[1] === null) return undefined
  const keep = commonLength(texts[0], texts[1])
  return { index, keep, append: texts[1].slice(keep) }
}

/** Null = the directive has no text that can change by itself. */
const messageText = ({ action_type, payload }: ActionDirective): string | null =>
  action_type === 'render_message' && typeof payload?.text === 'string' ? payload.text : null

/** A long text is compared once, and never written out for it. */
const withoutText = (directive: ActionDirective, text: string | null): ActionDirective =>
  text === null ? directive : { ...directive, payload: { ...directive.payload, text: '' } }

/** Never in the middle of a character that is a pair: half of one cannot be sent. */
const commonLength = (before: string, after: string): number => {
  if (after.startsWith(before)) return before.length
  let length = 0
  while (length < before.length && before[length] === after[length]) length += 1
  const last = before.charCodeAt(length - 1)
  return length > 0 && last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
