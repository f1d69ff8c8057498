// Written text as a voice says it: the words without the marks of Markdown. What has no words is silent.

export const plainWords = (written: string): string => {
  let words = written
  for (const [marks, replacement] of replacements) words = words.replace(marks, replacement)
  return /[\p{L}\p{N}]/u.test(words) ? words.trim() : ''
}

/** The host of an address: nobody understands the rest of it. */
const siteOf = (address: string): string => {
  const host = URL.parse(address)?.hostname.replace(/^www\./, '') ?? ''
  return host ? `a link to ${host}` : 'a link'
}

type Replacement = readonly [marks: RegExp, words: string] | readonly [marks: RegExp, words: (match: string) => string]
/** In this order. Texts are sentences, so that no pattern runs for long. */
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
