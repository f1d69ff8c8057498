// A line of the command line. The token is read from the environment, and never in the text.
import { quoted } from './curl.ts'

interface CommandServer {
  /** Undefined: the server that the command line finds by itself. */
  readonly serverUrl: string | undefined
  readonly tenantId: string | undefined
}

/** Words after `bridle`: the verb, its arguments and its flags. A word that begins with a dash and is no flag stands behind `--`. */
export const commandText = (
  verb: string,
  words: readonly string[],
  flags: { readonly [name: string]: string | undefined },
  { serverUrl, tenantId }: CommandServer,
): string => {
  const all = { ...flags, url: serverUrl?.replace(/\/$/, ''), tenant: tenantId }
  const flagWords = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
  const isDashed = words.some((word) => word.startsWith('-'))
  return ['bridle', verb, ...flagWords, ...(isDashed ? ['--'] : []), ...words].map(shellWord).join(' ')
}

/** A word that a shell reads as it is needs no quotes. */
const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))
