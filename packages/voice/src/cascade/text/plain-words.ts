// Removes Markdown, so that only words are spoken.

export const plainWords = (written: string): string => {
  let words = written
  for (const [marks, replacement] of replacements) words = words.replace(marks, replacement)
  return /[\p{L}\p{N}]/u.test(words) ? words.trim() : ''
}

/** Only the host: the rest of an address is useless when read aloud. */
const siteOf = (address: string): string => {
  const host = URL.parse(address)?.hostname.replace(/^www\./, '') ?? ''
  return host ? `a link to ${host}` : 'a link'
}

type Replacement = readonly [marks: RegExp, words: string] | readonly [marks: RegExp, words: (match: string) => string]
/** The order matters. Inputs are single sentences, which bounds the patterns. */
const table: readonly Replacement[] = [
  [/<!--[\s\S]*?-->/g, ''],
  [/!\[([^\]]*)\]\([^)]*\)/g, '$1'],
  [/\[([^\]]+)\]\([^)]*\)/g, '$1'],
  [/<?(https?:\/\/[^\s<>()`*]*[^\s<>()`*.,;:!?])>?/g, (match) => siteOf(match.replace(/[<>]/g, ''))],
  [/<\/?[a-zA-Z][^<>]*>/g, ' '],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/^[ \t]*#{1,6}[ \t]+/gm, ''],
  [/^[ \t]*(?:>[ \t]?)+/gm, ''],
  [/^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm, ''],
  [/`+/g, ''],
  [/(\*\*|__|~~)/g, ''],
  [/(^|[^\p{L}\p{N}])[*_](?=\S)/gu, '$1'],
  [/(\S)[*_](?=$|[^\p{L}\p{N}])/gu, '$1'],
  [/\\([\\`*_{}[\]()#+\-.!>|])/g, '$1'],
  [/&amp;/g, '&'],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/\p{Extended_Pictographic}|\uFE0F|\u200D/gu, ''],
  [/\s+/g, ' '],
]
const replacements = table as readonly (readonly [RegExp, string])[]
