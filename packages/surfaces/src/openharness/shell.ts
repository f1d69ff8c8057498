// The shell that asks: what its agent learns about it, and how its answers are shaped.

import { type JsonObject, present } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import type { ShellIdentity } from '@bridle/wire/openharness/wire'

/** A message on a screen that is read at a glance. The numbers are those of large print on a television and in a car. */
const SMALL_SCREEN = { lines: 3, chars: 40 }
/** Time zones whose formats are kept, some 10 kB each: more than a server's users live in. */
const TIME_ZONES_MAX = 200

/** The shell as the agent's input has it, with the time where its user is. A locale or time zone that is none counts as absent. */
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

/** Formats by time zone, such as `2026-01-31 23:59`: making one takes longer than all else that a shell needs. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Null = there is no such time zone. */
const formatFor = (timeZone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(timeZone)
  if (known) return known
  // Swedes write dates in this order.
  const made = tryOr(null, () => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }))
  if (formats.size >= TIME_ZONES_MAX) formats.clear()
  if (made) formats.set(timeZone, made)
  return made
}

/** Shells that show plain text, and shells that are read from afar, or while driving. */
const PLAIN_SHELLS: ReadonlySet<string | undefined> = new Set(['im_bot'])
const SMALL_SHELLS: ReadonlySet<string | undefined> = new Set(['tv', 'vehicle_hmi'])

/** The text as the shell can show it; a shell of any other kind gets it as it is. */
export const shapeText = (text: string, kind: string | undefined): string => {
  if (SMALL_SHELLS.has(kind)) return fewLines(plainText(text))
  return PLAIN_SHELLS.has(kind) ? plainText(text) : text
}

/** A question is never cut: a person must see everything that is approved. */
export const shapeQuestion = (text: string, kind: string | undefined): string =>
  SMALL_SHELLS.has(kind) || PLAIN_SHELLS.has(kind) ? plainText(text) : text

/** Text without the marks of markdown. Links keep their address; the content of code stays as it is. */
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

/** A few short lines, broken between words; the last one shows that there was more. */
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

/** The line cut between words, where it has several. */
const shorter = (line: string, charsMax: number): string => {
  const characters = [...line]
  if (characters.length <= charsMax) return line
  const space = characters.lastIndexOf(' ')
  return characters.slice(0, space > 0 ? space : charsMax).join('')
}

const lengthOf = (text: string): number => [...text].length

/** A word that is longer than a line, in parts. */
const pieces = (word: string, charsMax: number): string[] => {
  const characters = [...word]
  return Array.from({ length: Math.ceil(characters.length / charsMax) }, (_, index) =>
    characters.slice(index * charsMax, (index + 1) * charsMax).join(''),
  )
}
