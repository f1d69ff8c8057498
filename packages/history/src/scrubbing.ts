// Logs that leave the server may be passed on, so secrets become `[removed]`. Idempotent, so that exporting an import is stable.
import type { Json } from '@bridle/events/json'
import { REMOVED, withoutAssignedSecrets } from './assignments.ts'
import { nameKind } from './secret-names.ts'

/** No pattern matches a shorter text, and most pieces of a stream are shorter. */
const SCRUBBED_CHARS_MIN = 10
/** Two passes suffice, except for texts crafted to need more. */
const SCRUB_PASSES_MAX = 8

/** The start of a word, also directly after an escape, a colour or an encoded character: `\\nghp_…`, `%0Aghp_…`. */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|[[;]\d{1,3}m))`
const shape = (pattern: string, flags = 'g'): RegExp => new RegExp(START + pattern, flags)

const QUERY_NAME =
  'passw(?:or)?d|pass|pwd|passphrase|secret|token|api[_-]?key|authorization|credentials?|private[_-]?key|access[_-]?key'

/** Every repetition is bounded or ends its pattern, which keeps matching linear. A test checks this. */
export const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, REMOVED],
  // API keys of various services. Lower-case names such as `sk-fading-circle` are style sheet classes.
  [shape('sk-(?=[a-z_-]{0,200}[A-Z0-9])[A-Za-z0-9_-]{16,}'), REMOVED],
  [shape('(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}'), REMOVED],
  [shape('(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9_])'), REMOVED],
  [
    shape('(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|rt|dt|cbt)-[A-Za-z0-9_-]{16,})'),
    REMOVED,
  ],
  [
    shape('(?:xox[abeposr]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|AIza[0-9A-Za-z_-]{30,}|npm_[A-Za-z0-9]{30,})'),
    REMOVED,
  ],
  [
    shape('(?:hf_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/=]{20,}|pypi-[A-Za-z0-9_-]{40,}|dckr_pat_[A-Za-z0-9_-]{20,})'),
    REMOVED,
  ],
  [shape(String.raw`SG\.[\w-]{16,40}\.[\w-]{30,}`), REMOVED],
  [shape(String.raw`(?<!-)eyJ[\w-]{8,1000}\.eyJ[\w-]{8,8000}\.[\w-]{8,}`), REMOVED],
  [shape(String.raw`(Bearer[ \t]{1,8})(?=[^\s"'\\]{0,200}\d)[A-Za-z0-9._~+/-]{12,}={0,2}`, 'gi'), `$1${REMOVED}`],
  [
    shape(
      String.raw`(Authorization\\{0,8}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,8}["']?(?:Basic|Token)[ \t]{1,8})[^\s"',\\]{4,}`,
      'gi',
    ),
    `$1${REMOVED}`,
  ],
  [shape(String.raw`(x-api-key\\{0,8}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,8}["']?)[^\s"',\\]{6,}`, 'gi'), `$1${REMOVED}`],
  // Command-line flags: --password …
  [
    /(--[\w-]{0,64}(?:passw(?:or)?d|secret|token|key)[ \t]{1,4}\\{0,8}["']?)(?=[^\s"'\\]{0,200}\d)[^\s"'\\$<-][^\s"'\\]{5,}/gi,
    `$1${REMOVED}`,
  ],
  // URL queries: ?access_token=...
  [new RegExp(String.raw`([?&][\w-]{0,64}(?:${QUERY_NAME})=)[^\s"'&#\\]{6,}`, 'gi'), `$1${REMOVED}`],
  // URL passwords: postgres://user:password@host
  [shape(String.raw`([a-z][a-z0-9+.-]{1,20}://[^\s/:@"']{0,128}:)[^\s/@"']{1,256}@`, 'gi'), `$1${REMOVED}@`],
]

/** Paths on the server contain names of its users. */
const FOLDER_NAMES: ReadonlySet<string> = new Set(['workspace_path', 'workspace_source'])
const FOLDER = '[folder]'
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\])/
const WORKSPACE_FILE = /^\{"workspace_id":"[^"]{1,100}","kind":/
const FILE_FOLDER = /("(?:path|source)":")(?:[/\\]|[A-Za-z]:[/\\])(?:[^"\\]|\\.)*/g

/** Returns the same object if there is nothing to remove. */
export const scrub = (value: Json): Json => {
  if (typeof value === 'string') return scrubText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return mapped(value, (each) => scrub(each))
  return mappedFields(value as { readonly [name: string]: Json }, (each, name) =>
    isSecretName(name) ? withoutStrings(each) : FOLDER_NAMES.has(name) ? withoutFolder(each) : scrub(each),
  )
}

/** Idempotent: the text after a removed secret may become a secret itself, so passes repeat until nothing changes. */
const scrubText = (text: string): string => {
  if (text.length < SCRUBBED_CHARS_MIN) return text
  let scrubbed = WORKSPACE_FILE.test(text) ? text.replace(FILE_FOLDER, `$1${FOLDER}`) : text
  for (let pass = 0; pass < SCRUB_PASSES_MAX; pass++) {
    const before = scrubbed
    for (const [pattern, replacement] of shapes) scrubbed = scrubbed.replace(pattern, replacement)
    scrubbed = withoutAssignedSecrets(scrubbed)
    if (scrubbed === before) break
  }
  return scrubbed
}

const withoutFolder = (value: Json): Json => (typeof value === 'string' && ABSOLUTE.test(value) ? FOLDER : scrub(value))

const isSecretName = (name: string): boolean => nameKind(name) === 'certain'

/** Any string below a secret's name may be the secret. Numbers and flags are harmless. */
const withoutStrings = (value: Json): Json => {
  if (typeof value === 'string') return value === '' ? value : REMOVED
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return mapped(value, withoutStrings)
  return mappedFields(value as { readonly [name: string]: Json }, withoutStrings)
}

const mapped = (values: readonly Json[], change: (value: Json) => Json): Json => {
  const changed = values.map((each) => change(each))
  return changed.some((each, index) => each !== values[index]) ? changed : (values as Json)
}

const mappedFields = (fields: { readonly [name: string]: Json }, change: (value: Json, name: string) => Json): Json => {
  const entries = Object.entries(fields).map(([name, value]) => [name, change(value, name)] as const)
  return entries.some(([name, value]) => value !== fields[name]) ? Object.fromEntries(entries) : fields
}
