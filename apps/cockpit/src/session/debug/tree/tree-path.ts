// The place of a value in a tree: the names on the way to it.
export type TreePath = readonly (string | number)[]

/** `approvals/0/status`. A slash in a name is `~1`, as in JSON Pointer. */
export const pathText = (path: TreePath): string =>
  path.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')

export const isSamePath = (one: TreePath, other: TreePath | null): boolean =>
  other !== null && one.length === other.length && one.every((name, at) => String(name) === String(other[at]))
