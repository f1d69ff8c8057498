// Payloads whose fields the agent chose, as names and values. Only what is there is shown, and nothing is read into it.
import { capitalized, nameText } from 'bridle/words'

/** Values of a notice without a known form: a page about a session is no place for a whole document. */
const FACTS_MAX = 20

interface LooseNotice {
  readonly [name: string]: unknown
}

/** Names that say where the notice comes from, and not what it says. */
const OWN_NAMES: ReadonlySet<string> = new Set(['event_id', 'timestamp', 'citations', 'isCut'])
export const looseFacts = (notice: LooseNotice | null): readonly (readonly [string, string])[] =>
  Object.entries(notice ?? {})
    .filter(([name]) => !OWN_NAMES.has(name))
    .slice(0, FACTS_MAX)
    .map(([name, value]) => [capitalized(nameText(name)), valueText(value)])

/** Lists of words are joined; lists of things are named by what names them. */
const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(itemText).join(', ')
  return JSON.stringify(value) ?? ''
}

const itemText = (item: unknown): string => {
  if (typeof item === 'string') return item
  if (typeof item !== 'object' || item === null) return String(item)
  const { title, name, id, why } = item as { readonly [name: string]: unknown }
  const named = [title, name, id].find((text) => typeof text === 'string')
  if (named === undefined) return JSON.stringify(item)
  return typeof why === 'string' ? `${named} (${why})` : String(named)
}
