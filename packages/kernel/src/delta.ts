// Operations on a JSON tree, and the one function that applies them, at both ends of every wire.
// Strict: a batch with one bad operation throws and changes nothing, so the two ends never agree only in part.

/** Names in an operation's path: each is a recursive call, and no state of ours is a tenth as deep. */
const PATH_MAX = 100

/** Not readonly, like all types of this wire: they stay assignable to the types that the protocol document prints. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** A change of a state: a value set at a path, or text added to the text at a path. */
export type DeltaOperation =
  | { type: 'set'; path: string[]; value: JsonValue }
  | { type: 'append-text'; path: string[]; value: string }

/** An operation does not fit the state that it is applied to. */
export class DeltaError extends Error {
  /** The code to match. */
  readonly code = 'bad_operation'
}

/**
 * Copies each touched node once per batch; an untouched node keeps its identity. `owned` holds the copies of earlier batches. They have no
 * other reader and change in place, so that a long list is not copied for each entry.
 */
export const applyOperations = <S>(
  state: S,
  operations: readonly DeltaOperation[],
  // A single operation touches each node once, so there is no copy to remember.
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
  // A missing parent becomes an object, even under a numeric name: arrays are always set before an index is used.
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
    // A copy has no room for another element: growing it would copy a long list a second time, into half as much again.
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

/** An index is `0`, or digits without a leading zero; Number() would also accept texts that are no index. */
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

// Reaching a prototype through a path would change every object in the process.
const unsafe = new Set(['__proto__', 'constructor', 'prototype'])

const fail = (operation: DeltaOperation, why: string): never => {
  throw new DeltaError(`${operation.type} at [${operation.path.join(', ')}]: ${why}`)
}
