// The same function applies operations at both ends of every wire. One bad operation rejects its batch, so the ends cannot diverge.

/** Bounds the recursion. Real states are less than a tenth as deep. */
const PATH_MAX = 100

/** Mutable like all types of this wire, so that they stay assignable to the types in the protocol document. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** A change of a state: a value set at a path, or text appended to the text at a path. */
export type DeltaOperation =
  | { type: 'set'; path: string[]; value: JsonValue }
  | { type: 'append-text'; path: string[]; value: string }

/** An operation does not fit the state. */
export class DeltaError extends Error {
  /** The code to match. */
  readonly code = 'bad_operation'
}

/** Copies each touched node once per batch. `owned` holds copies without other readers, which later batches mutate. */
export const applyOperations = <S>(
  state: S,
  operations: readonly DeltaOperation[],
  // A single operation touches each node only once.
  owned: Set<object> | null = operations.length > 1 ? new Set() : null,
): S => {
  let root: unknown = state
  for (const operation of operations) {
    if (operation.path.length > PATH_MAX)
      throw new DeltaError(`${operation.type}: a path has at most ${PATH_MAX} names`)
    root = apply(root, operation, 0, owned)
  }
  return root as S
}

export const setOperation = (path: readonly (string | number)[], value: unknown): DeltaOperation => ({
  type: 'set',
  path: path.map(String),
  value: value as JsonValue,
})
export const appendTextOperation = (path: readonly (string | number)[], value: string): DeltaOperation => ({
  type: 'append-text',
  path: path.map(String),
  value,
})

const apply = (node: unknown, operation: DeltaOperation, depth: number, owned: Set<object> | null): unknown => {
  if (depth === operation.path.length) return leaf(node, operation)
  const name = operation.path[depth] as string
  if (Array.isArray(node)) {
    const index = arrayIndex(name, node.length, operation)
    return written(node, index, node[index], apply(node[index], operation, depth + 1, owned), owned)
  }
  // Missing parents become objects, even under a numeric name: arrays must be set before they are indexed.
  const parent = node === undefined || node === null ? {} : node
  if (typeof parent !== 'object') fail(operation, `"${name}" is below a ${typeof parent}`)
  if (typeof name !== 'string' || unsafe.has(name)) fail(operation, `the name "${name}" is not allowed`)
  const record = parent as Record<string, unknown>
  const child = Object.hasOwn(record, name) ? record[name] : undefined
  if (parent !== node) owned?.add(parent)
  return written(record, name, child, apply(child, operation, depth + 1, owned), owned)
}

const leaf = (node: unknown, operation: DeltaOperation): unknown => {
  if (operation.type === 'set') return operation.value
  if (operation.type !== 'append-text') fail(operation, 'unknown operation')
  if (typeof node !== 'string' || typeof operation.value !== 'string') fail(operation, 'only text takes more text')
  return (node as string) + operation.value
}

const written = <T extends object>(
  node: T,
  name: string | number,
  before: unknown,
  after: unknown,
  owned: Set<object> | null,
): T => {
  if (before === after && Object.hasOwn(node, name)) return node
  let target = node
  if (!owned?.has(node)) {
    // `concat`, because pushing to a copy reallocates: it would copy a long list twice.
    if (Array.isArray(node) && name === node.length) {
      const longer = node.concat([after]) as unknown as T
      owned?.add(longer)
      return longer
    }
    target = (Array.isArray(node) ? node.slice() : { ...node }) as T
    owned?.add(target)
  }
  ;(target as Record<string | number, unknown>)[name] = after
  return target
}

/** Canonical indexes only; Number() would also accept ` 1` or `1e3`. */
const arrayIndex = (name: string, length: number, operation: DeltaOperation): number => {
  let index = 0
  const isCanonical = name.length > 0 && name.length <= 10 && (name.length === 1 || name.charCodeAt(0) !== 0x30)
  if (!isCanonical) fail(operation, `"${name}" is not an index`)
  for (let at = 0; at < name.length; at++) {
    const digit = name.charCodeAt(at) - 0x30
    if (!(digit >= 0 && digit <= 9)) fail(operation, `"${name}" is not an index`)
    index = index * 10 + digit
  }
  if (index > length) fail(operation, `index ${name} is beyond the length ${length}`)
  return index
}

// Writing through a prototype would change every object in the process.
const unsafe = new Set(['__proto__', 'constructor', 'prototype'])

const fail = (operation: DeltaOperation, why: string): never => {
  throw new DeltaError(`${operation.type} at [${operation.path.join(', ')}]: ${why}`)
}
