// Files of trees spread over several processes. A gateway joins exports and splits imports; only gateways send these headers.
import { isJsonObject } from '@bridle/events/json'
import type { ExportPart } from './export-plan.ts'

/** Root session of the requested tree; `ALL_TREES` lists the roots. */
export const TREE_HEADER = 'x-bridle-tree'
export const ALL_TREES = '*'
export const FILE_HEADER = 'x-bridle-file'

/** A file contains trees in order of creation. */
export interface TreeRoot {
  readonly name: string
  readonly createdAt: number
}

export interface FilePart {
  readonly digest: string
  /** Lines of the whole file before this part's first session. */
  readonly linesBefore: number
}

export const rootName = ({ agent, id }: { readonly agent: string; readonly id: string }): string => `${agent}/${id}`

export const byRootBirth = (a: TreeRoot, b: TreeRoot): number => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1)

export const treesOf = (parts: readonly ExportPart[]): ReadonlyMap<string, readonly ExportPart[]> => {
  const trees = new Map<string, ExportPart[]>()
  const rootOf = new Map<string, string>()
  for (const part of parts) {
    const { session } = part
    const root = (session.parent && rootOf.get(rootName(session.parent))) ?? rootName(session)
    rootOf.set(rootName(session), root)
    trees.set(root, [...(trees.get(root) ?? []), part])
  }
  return trees
}

export const rootsOf = (parts: readonly ExportPart[]): TreeRoot[] =>
  [...treesOf(parts)].map(([name, [root]]) => ({ name, createdAt: root?.createdAt ?? 0 }))

export const encodeFilePart = (part: FilePart): string => JSON.stringify(part)

export const decodeFilePart = ({ headers }: Request): FilePart | null => {
  const part: unknown = JSON.parse(headers.get(FILE_HEADER) ?? 'null')
  return isJsonObject(part) ? (part as unknown as FilePart) : null
}
