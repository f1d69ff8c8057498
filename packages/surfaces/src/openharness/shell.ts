// The requesting shell: what its agent learns about it, and how answers are adapted.

import { type JsonObject, present } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import type { ShellIdentity } from '@bridle/wire/openharness/wire'

/** Large print on a television or in a car. */
const SMALL_SCREEN = { lines: 3, chars: 40 }
/** Covers the zones where a server's users live, at about 10 kB each. */
const TIME_ZONES_MAX = 200

/** Includes the user's local time. Invalid locales and time zones count as absent. */
export const shellInput = ({ shell_kind, shell_version, locale, timezone }: ShellIdentity, now: number): JsonObject => {
  const format = timezone === undefined ? null : formatFor(timezone)
  return present({
    shell_kind,
    shell_version,
    locale: locale !== undefined && isLocale(locale) ? locale : undefined,
    timezone: format ? timezone : undefined,
    local_time: format?.format(now),
  })
}

const isLocale = (locale: string): boolean => tryOr(null, () => new Intl.Locale(locale)) !== null

/** Cached, because creating one takes longer than all other work for a shell. */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatFor = (timeZone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(timeZone)
  if (known) return known
  // The Swedish format is `2026-01-31 23:59`.
  const made = tryOr(null, () => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }))
  if (formats.size >= TIME_ZONES_MAX) formats.clear()
  if (made) formats.set(timeZone, made)
  return made
}

/** Shells that show plain text, and shells read from afar or while driving. */
const PLAIN_SHELLS: ReadonlySet<string | undefined> = new Set(['im_bot'])
const SMALL_SHELLS: ReadonlySet<string | undefined> = new Set(['tv', 'vehicle_hmi'])

export const shapeText = (text: string, kind: string | undefined): string => {
  if (SMALL_SHELLS.has(kind)) return fewLines(plainText(text))
  return PLAIN_SHELLS.has(kind) ? plainText(text) : text
}

/** Questions are never truncated: the user must see everything that is approved. */
export const shapeQuestion = (text: string, kind: string | undefined): string =>
  SMALL_SHELLS.has(kind) || PLAIN_SHELLS.has(kind) ? plainText(text) : text

/** Strips markdown, but keeps link targets and the content of code. */
const plainText = (text: string): string =>
  text
    .split(/^[ \t]*```.*$/m)
    .map((part, index) => (index % 2 === 1 ? part.replace(/^\n|\n$/g, '') : plainProse(part)))
    .join('')
    .trim()

const plainProse = (text: string): string =>
  text
    .replace(/^#{1,6}[ \t]+/gm, '')
    .replace(/^[ \t]*>[ \t]?/gm, '')
    .replace(/^([ \t]*)[*+-][ \t]+/gm, '$1• ')
    .replace(/^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/gm, '')
    .replace(/!?\[([^\][]*)\]\(([^()\s]*)\)/g, (_, label: string, address: string) =>
      label === '' || label === address ? address : `${label} (${address})`,
    )
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_\n]*?\S)_(?![\w_])/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')

/** Breaks between words; the last line shows that text was cut. */
const fewLines = (text: string): string => {
  const { lines: linesMax, chars: charsMax } = SMALL_SCREEN
  const lines: string[] = []
  for (const word of text
    .split(/\s+/)
    .filter((each) => each !== '')
    .flatMap((each) => pieces(each, charsMax))) {
    if (lines.length > linesMax) break
    const line = lines.at(-1)
    if (line !== undefined && lengthOf(line) + 1 + lengthOf(word) <= charsMax)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  if (lines.length <= linesMax) return lines.join('\n')
  return [...lines.slice(0, linesMax - 1), `${shorter(lines[linesMax - 1] ?? '', charsMax - 1)}…`].join('\n')
}

const shorter = (line: string, charsMax: number): string => {
  const characters = [...line]
  if (characters.length <= charsMax) return line
  const space = characters.lastIndexOf(' ')
  return characters.slice(0, space > 0 ? space : charsMax).join('')
}

const lengthOf = (text: string): number => [...text].length

const pieces = (word: string, charsMax: number): string[] => {
  const characters = [...word]
  return Array.from({ length: Math.ceil(characters.length / charsMax) }, (_, index) =>
    characters.slice(index * charsMax, (index + 1) * charsMax).join(''),
  )
}
