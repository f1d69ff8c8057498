/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null if the text is not a JSON object. */
export const parseObject = (text: unknown): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(String(text))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

// For untrusted fields: a value of another type counts as absent.
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Sorted keys, so that equal data has equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  ) ?? 'null'

export const isSameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b))

/** A 53-bit hash in hex, for checksums and equality checks. Never for security. */
export const hashText = (text: string, seed = 0): string => {
  let a = 0xdeadbeef ^ seed
  let b = 0x41c6ce57 ^ seed
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return ((b >>> 0) & 0x1fffff).toString(16).padStart(6, '0') + (a >>> 0).toString(16).padStart(8, '0')
}

export const omit = <T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> => {
  const { [name]: _gone, ...rest } = record
  return rest
}

/** Drops undefined entries, so that optional fields are absent instead of undefined. */
export const present = <T extends object>(record: T): Present<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<T>

type Present<T> = { -readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  -readonly [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** Names come from outside, and `__proto__` must find nothing. */
export const ownProperty = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Recurses at most `most` levels, so that the check itself cannot overflow the stack. */
export const isDeeperThan = (value: unknown, most: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return most < 0 ? value.length > 0 : value.some((each) => isDeeperThan(each, most - 1))
  // Object.values would copy a very large object.
  for (const name in value)
    if (Object.hasOwn(value, name) && (most < 0 || isDeeperThan((value as Record<string, unknown>)[name], most - 1)))
      return true
  return false
}
