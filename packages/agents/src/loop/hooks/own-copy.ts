// Values that middleware gets: its own to change, or nobody's.

/** A copy of lists and plain objects, at any depth. The bytes of files are the same: they may be large. */
export const ownCopy = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(ownCopy) as T
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ownCopy(each)])) as T
}

/** An answer that was checked must not change afterwards. Whoever tries gets an error, and returns another answer instead. */
export const deepFreeze = (value: unknown): void => {
  if (!Array.isArray(value) && !isPlain(value)) return
  Object.freeze(value)
  for (const each of Object.values(value)) deepFreeze(each)
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))
