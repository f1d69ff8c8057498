// Payload fields as text. Never throws: a log may come from a newer version, and agents may write anything.

export interface Fields {
  readonly [name: string]: unknown
}

/** Empty unless the value is a string or a number. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf).filter(Boolean)

export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** `Needs approval` for `needs approval`. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `tool call` for `tool_call`. */
export const nameText = (name: string): string => name.replaceAll('_', ' ')

export const joined = (...parts: readonly string[]): string => parts.filter(Boolean).join(' · ')

/** A fallback for events without words: `name x · size 3`. */
export const summaryText = (fields: Fields): string =>
  joined(
    ...Object.entries(fields)
      .flatMap(([name, value]) => (textOf(value) === '' ? [] : [`${nameText(name)} ${textOf(value).slice(0, 120)}`]))
      .slice(0, 4),
  )

/** The most telling argument of a call: a path or command, otherwise the first string. */
export const argumentText = (args: unknown): string => {
  const fields = Object.entries(fieldsOf(args)).filter(([name]) => !name.startsWith('_'))
  const named = fields.find(([name]) => /^(file_?path|path|command|query|url|name)$/.test(name))
  const value = (named ?? fields.find(([, each]) => typeof each === 'string'))?.[1]
  return typeof value === 'string' ? value : ''
}
