// The front matter of a text: lines of `key: value` between two lines of `---`. This is not a YAML parser: it keeps three plain
// values and lists all other keys, so that nothing can be expanded, included, or executed.

/** Longer descriptions are cut: each request to the model contains all of them. The format of skills allows as many. */
const VALUE_CHARS_MAX = 1_024
/** Keys that are named as ignored: more say nothing new. */
const IGNORED_KEYS_MAX = 20
const KEY_CHARS_MAX = 40

const KEPT = ['name', 'description', 'argument-hint'] as const
type KeptKey = (typeof KEPT)[number]

export interface FrontMatter {
  readonly name?: string
  readonly description?: string
  readonly argumentHint?: string
  /** The keys that have no effect, in their order. */
  readonly ignored: readonly string[]
  /** The text without the front matter. */
  readonly body: string
}

export const parseFrontMatter = (text: string): FrontMatter => {
  const lines = text.split(/\r\n|\n|\r/)
  const entries = entriesOf(lines)
  if (entries === null) return { ignored: [], body: text }
  const kept = new Map<KeptKey, string>()
  const ignored = new Set<string>()
  for (const { key, first, more } of entries.found) {
    if (isKept(key) && !kept.has(key)) kept.set(key, scalarOf(first, more).slice(0, VALUE_CHARS_MAX).toWellFormed())
    else if (!isKept(key) && ignored.size < IGNORED_KEYS_MAX) ignored.add(key.slice(0, KEY_CHARS_MAX))
  }
  const [name, description, argumentHint] = KEPT.map((key) => kept.get(key) || undefined)
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(argumentHint !== undefined && { argumentHint }),
    ignored: [...ignored],
    body: lines.slice(entries.end + 1).join('\n'),
  }
}

const isKept = (key: string): key is KeptKey => (KEPT as readonly string[]).includes(key)

interface Entry {
  readonly key: string
  /** The value in the line of the key. */
  readonly first: string
  /** The lines below it that are not keys. */
  readonly more: string[]
}

/** Null: the line is not a key. No regular expression looks at a whole line, which may have any length. */
const keyOf = (line: string): { readonly key: string; readonly first: string } | null => {
  const colon = line.indexOf(':')
  const rest = line.slice(colon + 1)
  const key = line
    .slice(0, Math.max(0, colon))
    .trimEnd()
    .replace(/^(["'])(.*)\1$/, '$2')
  const isKey = /^[\w$][\w.$-]*$/.test(key) && (rest === '' || /^[ \t]/.test(rest))
  return isKey ? { key, first: rest.trim() } : null
}

/** Null: the text has no front matter. A first line of dashes may also be a line across the page. */
const entriesOf = (lines: readonly string[]): { readonly found: readonly Entry[]; readonly end: number } | null => {
  if (lines[0]?.trimEnd() !== '---') return null
  const found: Entry[] = []
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^(---|\.\.\.)\s*$/.test(line)) return found.length > 0 ? { found, end: at } : null
    const entry = keyOf(line)
    if (entry !== null) found.push({ ...entry, more: [] })
    else if (/^\s|^#|^-|^$/.test(line)) found.at(-1)?.more.push(line)
    else return null
  }
  return null
}

/** A value as one line of text: plain, quoted, folded or literal. */
const scalarOf = (first: string, more: readonly string[]): string => {
  const isBlock = /^[|>][+-]?\d?\s*(#.*)?$/.test(first)
  const rest = more.filter((line) => isBlock || !line.trimStart().startsWith('#')).map((line) => line.trim())
  const text = [isBlock ? '' : first, ...rest].join(' ').replaceAll(/\s+/g, ' ').trim()
  if (isBlock) return text
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\/])/g, '$1')
  const single = /^'((?:[^']|'')*)'/.exec(text)?.[1]
  if (single !== undefined) return single.replaceAll("''", "'")
  return text.replace(/\s#.*$/, '')
}
