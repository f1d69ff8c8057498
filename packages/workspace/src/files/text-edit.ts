// Text replacement. Idempotent: places that already have the new text count as done, and an edit whose result contains
// the old text again is refused.

export type TextEdit =
  | { readonly kind: 'edited'; readonly text: string; readonly places: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'no_match' }
  | { readonly kind: 'many_matches'; readonly places: number }
  | { readonly kind: 'edit_repeats' }

export interface TextReplacement {
  readonly oldText: string
  readonly newText: string
  /** Replaces every occurrence. Otherwise there must be exactly one. */
  readonly all: boolean
}

export const editText = (text: string, replacement: TextReplacement): TextEdit => {
  const edit = replaceIn(text, replacement)
  if (edit.kind !== 'edited') return edit
  return replaceIn(edit.text, replacement).kind === 'edited' ? { kind: 'edit_repeats' } : edit
}

const replaceIn = (text: string, { oldText, newText, all }: TextReplacement): TextEdit => {
  const matches = indexesOf(text, oldText)
  if (matches.length === 0) return newText !== '' && text.includes(newText) ? { kind: 'done' } : { kind: 'no_match' }
  const inNew = indexesOf(newText, oldText)
  const isDone = (at: number) => inNew.some((shift) => at >= shift && text.startsWith(newText, at - shift))
  const open = matches.filter((at) => !isDone(at))
  if (open.length === 0) return { kind: 'done' }
  if (!all && matches.length > 1) return { kind: 'many_matches', places: matches.length }
  let edited = ''
  let from = 0
  for (const at of open) {
    edited += text.slice(from, at) + newText
    from = at + oldText.length
  }
  return { kind: 'edited', text: edited + text.slice(from), places: open.length }
}

const indexesOf = (text: string, part: string): number[] => {
  const indexes: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) indexes.push(at)
  return indexes
}
