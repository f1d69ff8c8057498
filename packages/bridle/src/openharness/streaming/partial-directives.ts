// The directives of a response that still comes, as the frames of its stream change them.
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import type { ActionDirective } from '../../surfaces/openharness/wire.ts'
import { ShellFault } from '../fault.ts'
import { DIRECTIVES_MAX } from '../limits.ts'

/** The list after these changes. A change that does not fit the list is `invalid_response`. */
export const applyChanges = (
  directives: readonly ActionDirective[],
  changes: unknown,
  maxChars: number,
): readonly ActionDirective[] => {
  if (!Array.isArray(changes)) throw wrong('changes')
  return changes.reduce<readonly ActionDirective[]>((list, change) => apply(list, change, maxChars), directives)
}

const apply = (
  directives: readonly ActionDirective[],
  change: unknown,
  maxChars: number,
): readonly ActionDirective[] => {
  if (!isJsonObject(change)) throw wrong('changes')
  const { index, directive } = change
  if (!isPlace(index, directives.length) || index >= DIRECTIVES_MAX) throw wrong('changes.index')
  const earlier = directives.slice(0, index)
  if (directive === null) return earlier
  if (directive === undefined) {
    const changed = withText(directives[index], change, maxChars)
    return [...earlier, changed, ...directives.slice(index + 1)]
  }
  if (!isJsonObject(directive) || typeof directive.action_type !== 'string') throw wrong('changes.directive')
  return [...earlier, directive as unknown as ActionDirective]
}

const withText = (
  directive: ActionDirective | undefined,
  { keep, append }: JsonObject,
  maxChars: number,
): ActionDirective => {
  const text = directive?.action_type === 'render_message' ? directive.payload?.text : undefined
  if (!directive || typeof text !== 'string') throw wrong('changes.index')
  if (!isPlace(keep, text.length)) throw wrong('changes.keep')
  if (typeof append !== 'string') throw wrong('changes.append')
  if (keep + append.length > maxChars)
    throw new ShellFault('too_large', `The stream has a text of more than ${maxChars} characters.`)
  return { ...directive, payload: { ...directive.payload, text: text.slice(0, keep) + append } }
}

const isPlace = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max

const wrong = (field: string): ShellFault =>
  new ShellFault('invalid_response', `The engine's stream breaks the profile: ${field} does not fit.`, { field })
