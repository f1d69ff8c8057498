// The name of a tool of a server, made to fit the names that providers take. A name depends on nothing but the tool: the same tool
// has the same name in every run, whatever else the server lists.
import { hashText } from '../kernel/json.ts'
import { NAME_CHARS_MAX, NAME_HASH_CHARS } from './limits.ts'

/** `<prefix>_<tool>`. A name that does not fit is changed, and gets a hash so that it stays the only one. */
export const toolName = (prefix: string, tool: string): string => {
  const name = prefix === '' ? tool : `${prefix}_${tool}`
  if (FITTING.test(name)) return name
  const hash = `_${hashText(tool).slice(-NAME_HASH_CHARS)}`
  return name.replace(STRANGE, '_').slice(0, NAME_CHARS_MAX - hash.length) + hash
}

/** As `tool()` takes them. */
const FITTING = new RegExp(`^[A-Za-z0-9_-]{1,${NAME_CHARS_MAX}}$`)
const STRANGE = /[^A-Za-z0-9_-]/gu
