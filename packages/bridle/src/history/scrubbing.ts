// Secrets in the text of a log. A log that leaves the server may be kept or passed on, so values that look like a credential, or stand
// under a name that says so, become `[removed]`. Scrubbing twice changes nothing, which keeps an export of an import the same.
import type { Json } from '../kernel/json.ts'
import { SCRUBBED_CHARS_MIN } from './limits.ts'

const REMOVED = '[removed]'

const SECRET_NAME =
  'passw(?:or)?d|passphrase|secret|token|api[_-]?key|authorization|credentials?|private[_-]?key|access[_-]?key'
/** The whole name, or its last word: `token`, `githubToken`, `x-api-key`. Not `tokens_saved`, nor `token_count`. */
const secretName = new RegExp(`(?:^|[_-])(?:${SECRET_NAME})$`, 'i')
const camelSecretName = /[a-z](?:Password|Passphrase|Secret|Token|ApiKey|Credentials?|PrivateKey|AccessKey)$/

/** Bounds in the patterns keep each of them linear in the text. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, REMOVED],
  // Keys of providers of models and of code, clouds, chats, shops.
  [/\bsk-[A-Za-z0-9_-]{16,}/g, REMOVED],
  [/\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g, REMOVED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REMOVED],
  [/\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g, REMOVED],
  [/\b(?:xox[abeposr]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,})/g, REMOVED],
  [/\beyJ[\w-]{8,1000}\.eyJ[\w-]{8,2000}\.[\w-]{8,1000}/g, REMOVED],
  [/\b(Bearer[ \t]+)(?=[^\s"']{0,200}\d)[A-Za-z0-9._~+/-]{12,2000}=*/gi, `$1${REMOVED}`],
  [/\b(Authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:Basic|Token)[ \t]+)[^\s"',]{4,2000}/gi, `$1${REMOVED}`],
  [/\b(x-api-key["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)[^\s"',]{6,2000}/gi, `$1${REMOVED}`],
  // The query of an address: ?access_token=...
  [new RegExp(`([?&][\\w-]{0,64}(?:${SECRET_NAME})=)[^\\s"'&#]{6,4000}`, 'gi'), `$1${REMOVED}`],
  // JSON, and JSON within JSON, as tools print it. A passphrase has spaces, so a value ends with its quote.
  [
    new RegExp(
      `(["'][\\w-]{0,64}(?:${SECRET_NAME})\\\\{0,8}["']\\s{0,8}:\\s{0,8}\\\\{0,8}(["']))(?:(?!\\\\{0,8}\\2)[^\\r\\n]){1,4000}`,
      'gi',
    ),
    `$1${REMOVED}`,
  ],
  // Environment files: DATABASE_PASSWORD=...
  [
    /\b([A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_KEY|ACCESS_KEY)[A-Z0-9_]{0,32}=["']?)[^\s"']{6,4000}/g,
    `$1${REMOVED}`,
  ],
  // The password of an address: postgres://user:password@host
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,128}:)[^\s/@"']{1,256}@/gi, `$1${REMOVED}@`],
]

/** A value without its secrets; the same object where it has none. */
export const scrub = (value: Json): Json => {
  if (typeof value === 'string') return scrubText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return mapped(value, (each) => scrub(each))
  return mappedFields(value as { readonly [name: string]: Json }, (each, name) =>
    isSecretName(name) ? withoutStrings(each) : scrub(each),
  )
}

export const scrubText = (text: string): string => {
  if (text.length < SCRUBBED_CHARS_MIN) return text
  let scrubbed = text
  for (const [pattern, replacement] of patterns) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed
}

const isSecretName = (name: string): boolean => secretName.test(name) || camelSecretName.test(name)

/** Every string below a secret's name may be the secret; numbers and flags tell nothing. */
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
