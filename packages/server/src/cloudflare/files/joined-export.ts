// Each object writes its own tree; the gateway joins them line by line, oldest first.
import { ExportWriter } from '@bridle/history/export/export-file'
import { viewerField } from '@bridle/surfaces/http/access/users'
import type { Denial } from '@bridle/surfaces/http/denials/denial'
import { type ExportListing, listSessions } from '@bridle/surfaces/http/history/export-plan'
import { tooManySessions } from '@bridle/surfaces/http/history/export-routes'
import { exportResponse } from '@bridle/surfaces/http/history/export-stream'
import { ALL_TREES, byRootBirth, rootName, TREE_HEADER, type TreeRoot } from '@bridle/surfaces/http/history/tree-files'
import type { RouteCall } from '@bridle/surfaces/http/router/route'
import { listFilter } from '@bridle/surfaces/http/sessions/list-filter'
import { type TreeObjects, tooManyTrees, treesMoved } from './tree-objects.ts'

type ExportCall = Pick<RouteCall<Parameters<typeof listFilter>[1], unknown>, 'access' | 'ports' | 'query' | 'request'>
type PlacedTree = TreeRoot & { readonly home: string }

export const joinedExport = async (objects: TreeObjects, call: ExportCall): Promise<Response | Denial> => {
  const { access, ports, query, request } = call
  const filter = { ...listFilter(ports, query), ...(await viewerField(access)) }
  const listings = await listSessions(ports, access.tenant, filter)
  if (!listings) return tooManySessions()
  // Each session takes at least two requests: one for its home and one for its lines.
  const early = tooManyTrees(listings.length)
  if (early) return early
  const homes = new Map<string, ExportListing[]>()
  for (const listing of listings) {
    const home = await objects.home(listing.key)
    homes.set(home, [...(homes.get(home) ?? []), listing])
  }
  const asked = [...homes.values()].filter((each) => !isAlone(each)).length
  const many = tooManyTrees(listings.length + asked + homes.size)
  if (many) return many
  const trees: PlacedTree[] = []
  for (const [home, here] of homes) {
    const roots = isAlone(here) ? here.map(rootOf) : await askRoots(objects, call, home)
    if (!roots) return treesMoved()
    trees.push(...roots.map((root) => ({ ...root, home })))
  }
  const ask = ({ home, name }: PlacedTree) => objects.ask(home, request, access, { [TREE_HEADER]: name })
  return exportResponse(joinedLines(trees.toSorted(byRootBirth), ask), 'sessions')
}

/** A session without branches and parents is its own tree, so its root is known. */
const isAlone = (listings: readonly ExportListing[]): boolean => listings.length === 1 && !listings[0]?.row.parent

const rootOf = ({ key, row }: ExportListing): TreeRoot => ({ name: rootName(key), createdAt: row.createdAt })

const askRoots = async (
  objects: TreeObjects,
  { request, access }: ExportCall,
  home: string,
): Promise<TreeRoot[] | null> => {
  const answer = await objects.ask(home, request, access, { [TREE_HEADER]: ALL_TREES }).catch(() => null)
  return answer?.ok ? ((await answer.json()) as TreeRoot[]) : null
}

/** Reads one tree at a time, with backpressure from the reader. */
async function* joinedLines(
  trees: readonly PlacedTree[],
  ask: (tree: PlacedTree) => Promise<Response>,
): AsyncGenerator<string> {
  const writer = new ExportWriter()
  yield writer.header()
  for (const tree of trees) {
    const answer = await ask(tree)
    if (!answer.ok || !answer.body) throw new Error(`The object of "${tree.name}" answered ${answer.status}.`)
    let last = ''
    let isFirst = true
    for await (const line of linesOf(answer.body)) {
      // Skip the first and last line of each object's own file.
      if (last) yield writer.copy(last)
      if (!isFirst) last = line
      isFirst = false
    }
    if (!last.startsWith('{"end":')) throw new Error(`The tree of "${tree.name}" is cut off.`)
  }
  yield writer.end()
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = decoder.decode(read.value, { stream: true }).split('\n')
      lines[0] = `${rest}${lines[0]}`
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    // If the reader leaves, release the object too.
    void reader.cancel().catch(() => {})
  }
}
