// Secrets assigned to a name in any kind of text. Every character is read a bounded number of times, so scanning is linear.
import { isSecretVariable, nameKind } from './secret-names.ts'

/** Shorter values of secret variables are settings, such as `TOKEN=none`. */
const NAMED_SECRET_CHARS_MIN = 6
/** In prose and code, values must also look like secrets. */
const LOOSE_SECRET_CHARS_MIN = 6
/** The start of a value is enough to judge it. Its end is only searched for if it is a secret. */
const JUDGED_CHARS = 512
/** Shorter mixes of letters and digits occur in ordinary words; keys start at 16 characters. */
const RANDOM_CHARS_MIN = 16

export const REMOVED = '[removed]'

/** Fast path for texts without any of these words. */
const hint = /pass|pwd|secret|token|key|credential|authorization/i
/** A name, a sign, and an opening quote. Quotes are optional and may be escaped repeatedly. URL queries have their own pattern. */
const assignment =
  /(?<![\w?&-])-{0,2}(\w[\w-]{0,127})(\\{0,15}["'`])?([ \t]{0,8})(=>|:=|=|:)(?![=:~>])([ \t]{0,8})(\\{0,15}["'`])?/g
/** Unquoted values end at a blank, a control character, a quote, or an escaped blank or quote. */
const bareEnd = /[\s\p{Cc}"'`]|\\{1,15}(?:[bfnrt"'`/]|u[0-9A-Fa-f]{4})/gu
/** Escapes, colours and encoded characters may directly precede a name: `\nTOKEN=`, `%0ATOKEN=`. */
const attached: { readonly [before: string]: RegExp } = {
  '\\': /^(?:u[0-9a-f]{4}|[bfnrt])/i,
  '%': /^[0-9a-f]{2}/i,
  '[': /^\d{1,3}m/,
  ';': /^\d{1,3}m/,
}

interface Assignment {
  readonly name: string
  readonly isNameQuoted: boolean
  readonly sign: string
  readonly blanks: { readonly before: boolean; readonly after: boolean }
  readonly quote: string | undefined
}

export const withoutAssignedSecrets = (text: string): string => {
  if (!hint.test(text)) return text
  let kept = ''
  let done = 0
  const find = new RegExp(assignment)
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const start = find.lastIndex
    const found = assignmentOf(text, match)
    const judged = text.slice(start, start + JUDGED_CHARS)
    // Resume after the sign: the value may itself be an assignment.
    if (!isNamed(found) || !isSecret(found, judged.slice(0, valueEnd(judged, 0, found.quote)))) continue
    const end = valueEnd(text, start, found.quote)
    kept += text.slice(done, start) + REMOVED
    done = end
    find.lastIndex = end
  }
  return done === 0 ? text : kept + text.slice(done)
}

const assignmentOf = (text: string, match: RegExpExecArray): Assignment => {
  const [, raw = '', nameQuote, before, sign = '', after, quote] = match
  const name = raw.replace(attached[text[match.index - 1] ?? ''] ?? '', '')
  const blanks = { before: before !== '', after: after !== '' }
  return { name, isNameQuoted: nameQuote !== undefined, sign, blanks, quote }
}

const valueEnd = (text: string, start: number, quote: string | undefined): number =>
  quote === undefined ? endBy(bareEnd, text, start) : quotedEnd(text, start, quote)

const endBy = (pattern: RegExp, text: string, start: number): number => {
  pattern.lastIndex = start
  return pattern.exec(text)?.index ?? text.length
}

/** JSON within JSON escapes the closing quote with 1, 3, 7 … backslashes; with more, the quote belongs to the value. */
const quotedEnd = (text: string, start: number, opening: string): number => {
  const depth = opening.length - 1
  const stop = new RegExp(`[\\r\\n${opening.at(-1)}]`, 'g')
  for (let at = endBy(stop, text, start); at < text.length; at = endBy(stop, text, at + 1)) {
    if (text[at] === '\r' || text[at] === '\n') return at
    let escapes = 0
    while (at - escapes > start && text[at - escapes - 1] === '\\') escapes += 1
    if (escapes % (2 * (depth + 1)) === depth) return at - depth
  }
  return text.length
}

const isNamed = ({ name }: Assignment): boolean => isSecretVariable(name) || nameKind(name) !== null

const isSecret = (found: Assignment, value: string): boolean => {
  if (value === '' || value === REMOVED || isReference(value)) return false
  const { name, sign, blanks, quote } = found
  if (sign === '=' && !blanks.before && !blanks.after && isSecretVariable(name))
    return value.length >= NAMED_SECRET_CHARS_MIN
  const kind = nameKind(name)
  if (kind === null) return false
  if (found.isNameQuoted && quote !== undefined) return kind === 'certain' || isRandom(value)
  // Ternaries have a blank before the colon, and `=>` starts a function.
  if (sign === ':' && blanks.before) return false
  if (sign === '=>' && quote === undefined) return false
  return kind === 'certain' ? looksSecret(value, name) : isRandom(value)
}

/** A variable, such as `${TOKEN}`. */
const isReference = (value: string): boolean => /^\$(?:\{\w{1,64}\}|[A-Z_][A-Z0-9_]{0,63})$/.test(value)

const random = /^[A-Za-z0-9+/_=.-]+$/
/** Hex, or a mix of lower case, upper case and digits, which is rare in words and expressions of this length. */
const isRandom = (value: string): boolean => {
  const bare = trimmed(value)
  if (bare.length < RANDOM_CHARS_MIN || !random.test(bare) || isPlace(bare)) return false
  return /^[0-9a-f]{32,}$/i.test(bare) || (/[a-z]/.test(bare) && /[A-Z]/.test(bare) && /\d/.test(bare))
}

const CALL = /[([{<]/
/** Type names may contain digits. */
const TYPE = /^(?:[A-Z][A-Za-z]{2,12}\d{1,2}Array|[iuf](?:8|16|32|64|128)|u?int\d{1,2}|float\d{2})$/
/** Keeps code such as `token = await next()`, `password: string` and `api_key=settings.key`. */
const looksSecret = (value: string, name: string): boolean => {
  const bare = trimmed(value)
  if (bare.length < LOOSE_SECRET_CHARS_MIN || /\s/.test(bare) || CALL.test(bare) || isPlace(bare) || TYPE.test(bare))
    return false
  if (/^[A-Za-z0-9+/]{40}$/.test(bare)) return true
  if (bare.length < RANDOM_CHARS_MIN + 8 && /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(bare)) return false
  if (/^\d+(?:\.\d+)?$/.test(bare)) return !/token$/i.test(name)
  return /\d/.test(bare) || /[!@#$%^&*+=~]/.test(bare) || isMixed(bare)
}

const isMixed = (value: string): boolean =>
  value.length >= RANDOM_CHARS_MIN + 8 && /[a-z]/.test(value) && /[A-Z]/.test(value) && !/[_-]/.test(value)

/** A path or URL. AWS secret keys may also start with a slash, but have 40 characters. */
const isPlace = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(value) ||
  (/^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value) && !/^[A-Za-z0-9+/]{40}$/.test(value))

/** Strips trailing punctuation. */
const trimmed = (value: string): string => value.replace(/[,;.:)\]}]{1,8}$/, '')
