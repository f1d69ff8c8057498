// The imports in a text of instructions: `@docs/style.md` names a file of the same folder.
import { posix } from 'node:path'

/** Where an import leads: a path below the folder of the repository, or nowhere in it. */
export type ImportTarget =
  | { readonly written: string; readonly path: string }
  | { readonly written: string; readonly isOutside: true }

/** Longer words are not paths. */
const WORD_CHARS_MAX = 300

/** Words with an `@` in front of them, outside of code. `from` is the path of the text. */
export const importsIn = (text: string, from: string): readonly ImportTarget[] => {
  const found = new Map<string, ImportTarget>()
  for (const [, word = ''] of withoutCode(text).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/gm)) {
    if (word.length > WORD_CHARS_MAX) continue
    const written = word
      .replaceAll('\\ ', ' ')
      .replace(/#.*$/, '')
      .replace(/[.,;:!?)\]}'"*_>]+$/, '')
    if (written !== '' && !found.has(written)) found.set(written, targetOf(written, from))
  }
  return [...found.values()]
}

const targetOf = (written: string, from: string): ImportTarget => {
  if (/^[/~\\]|^[A-Za-z]:/.test(written)) return { written, isOutside: true }
  const path = posix.normalize(posix.join(posix.dirname(from), written)).replace(/\/$/, '')
  return path === '..' || path.startsWith('../') ? { written, isOutside: true } : { written, path }
}

/** Most words with an `@` are names of people and packages. A missing file is worth a notice where the word is surely a path. */
export const isSurelyPath = (written: string): boolean => /^\.{1,2}\/|\.(md|mdc|txt)$/i.test(written)

/** Leaves out fenced blocks, and spans of code within a paragraph. */
const withoutCode = (text: string): string => {
  let fence: string | null = null
  const lines = text.split(/\r\n|\n|\r/).map((line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === null && mark === undefined) return line
    if (fence === null) fence = mark ?? null
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null
    return ''
  })
  return lines.join('\n').split('\n\n').map(withoutSpans).join('\n\n')
}

/** A span of code ends at a row of as many backticks as it begins with. A row without such an end is text. */
const withoutSpans = (paragraph: string): string => {
  const rows = [...paragraph.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ index, length }))
  const lastOf = new Map(rows.map(({ index, length }) => [length, index]))
  let kept = ''
  let [from, opening] = [0, -1]
  for (const { index, length } of rows) {
    if (opening === length) {
      from = index + length
      opening = -1
    } else if (opening === -1 && (lastOf.get(length) ?? 0) > index) {
      kept += `${paragraph.slice(from, index)} `
      opening = length
    }
  }
  return kept + paragraph.slice(from)
}
