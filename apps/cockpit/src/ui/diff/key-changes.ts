// Two JSON objects compared by key.

/** Levels of an object that are compared by key; below them two values are compared as a whole. */
const KEY_LEVELS_MAX = 8

export interface KeyChange {
  /** The path as people write it: `options.retries`, `files[0]`. */
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

/** The keys that differ, deepest first where both sides are objects or lists of the same length. */
export const compareKeys = (before: unknown, after: unknown, path = '', level = 0): KeyChange[] => {
  if (isSame(before, after)) return []
  if (level < KEY_LEVELS_MAX) {
    if (isRecord(before) && isRecord(after)) {
      const keys = new Set([...Object.keys(before), ...Object.keys(after)])
      return [...keys].flatMap((key) => {
        const at = path === '' ? keyText(key) : `${path}.${keyText(key)}`
        if (!Object.hasOwn(before, key)) return [{ path: at, kind: 'added' as const, after: after[key] }]
        if (!Object.hasOwn(after, key)) return [{ path: at, kind: 'removed' as const, before: before[key] }]
        return compareKeys(before[key], after[key], at, level + 1)
      })
    }
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
      return before.flatMap((item, index) => compareKeys(item, after[index], `${path}[${index}]`, level + 1))
  }
  return [{ path, kind: 'changed', before, after }]
}

/** Two JSON values that a server cannot tell apart; the order of keys does not count. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isRecord(one) || !isRecord(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

/** A key that is no plain word stands in quotes: `a.b` is not the same as `"a.b"`. */
const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
