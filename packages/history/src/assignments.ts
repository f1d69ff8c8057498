// Secrets assigned to a name: environment files, configuration, JSON within text, code. The scanner finds a name and then judges its
// value. It reads each character a bounded number of times, so its time is linear in the text.
import { isSecretVariable, nameKind } from './secret-names.ts'

/** The value of a secret variable: shorter ones are settings, such as `TOKEN=none`. */
const NAMED_SECRET_CHARS_MIN = 6
/** A value in prose or code under the name of a secret, which has to look like one. */
const LOOSE_SECRET_CHARS_MIN = 6
/** The beginning of a value says whether it is a secret; the end is looked for only where it is one. */
const JUDGED_CHARS = 512
/** Letters that only a generator mixes so: keys begin at 16 characters. */
const RANDOM_CHARS_MIN = 16

export const REMOVED = '[removed]'

/** Fast path: a text without any of these words has no assigned secret. */
const hint = /pass|pwd|secret|token|key|credential|authorization/i
/** A name with its quote, if any, the sign, and the quote of the value, if any. A quote may be escaped, also several times. The query of an address has a pattern of its own. */
const assignment =
  /(?<![\w?&-])-{0,2}(\w[\w-]{0,127})(\\{0,15}["'`])?([ \t]{0,8})(=>|:=|=|:)(?![=:~>])([ \t]{0,8})(\\{0,15}["'`])?/g
/** Where a value without quotes ends: at a blank, a control character, a quote, or an escaped blank or quote. */
const bareEnd = /[\s\p{Cc}"'`]|\\{1,15}(?:[bfnrt"'`/]|u[0-9A-Fa-f]{4})/gu
/** An escape, a colour or an encoded character can precede a name without a gap: `\nTOKEN=`, `%0ATOKEN=`. */
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

/** The text with `[removed]` in place of each secret value. */
export const withoutAssignedSecrets = (text: string): string => {
  if (!hint.test(text)) return text
  let kept = ''
  let done = 0
  const find = new RegExp(assignment)
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const start = find.lastIndex
    const found = assignmentOf(text, match)
    const judged = text.slice(start, start + JUDGED_CHARS)
    // The value of another name may be an assignment itself.
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

/**
 * A value ends with the quote that began it. JSON within JSON escapes it with 1, 3, 7 … backslashes; more of them, as `\\\"` within
 * `\"`, are a quote in the value.
 */
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
  // A ternary of code has a blank before its colon; `=>` of code begins a function.
  if (sign === ':' && blanks.before) return false
  if (sign === '=>' && quote === undefined) return false
  return kind === 'certain' ? looksSecret(value, name) : isRandom(value)
}

/** A reference to a variable, such as `${TOKEN}`. */
const isReference = (value: string): boolean => /^\$(?:\{\w{1,64}\}|[A-Z_][A-Z0-9_]{0,63})$/.test(value)

const random = /^[A-Za-z0-9+/_=.-]+$/
/** Hex, or lower case, upper case and digits together: words and expressions of this length rarely have all three. */
const isRandom = (value: string): boolean => {
  const bare = trimmed(value)
  if (bare.length < RANDOM_CHARS_MIN || !random.test(bare) || isPlace(bare)) return false
  return /^[0-9a-f]{32,}$/i.test(bare) || (/[a-z]/.test(bare) && /[A-Z]/.test(bare) && /\d/.test(bare))
}

const CALL = /[([{<]/
/** Types of languages have digits, too. */
const TYPE = /^(?:[A-Z][A-Za-z]{2,12}\d{1,2}Array|[iuf](?:8|16|32|64|128)|u?int\d{1,2}|float\d{2})$/
/** Code such as `token = await next()`, `password: string` and `api_key=settings.key` stays. */
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

/** A path or a URL. An AWS secret key may begin with a slash, too, and has 40 characters. */
const isPlace = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(value) ||
  (/^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value) && !/^[A-Za-z0-9+/]{40}$/.test(value))

/** Without the punctuation of a sentence, list or call. */
const trimmed = (value: string): string => value.replace(/[,;.:)\]}]{1,8}$/, '')
