// Every object validates its tree before the first one writes. Memory holds the file and one part. If the client leaves, the
// import stops between two trees or slices.
import { ExportError } from '@bridle/history/export/export-error'
import type { SessionLines } from '@bridle/history/export/export-reader'
import { scanExport } from '@bridle/history/export/read-export'
import type { Key } from '@bridle/kernel/event'
import { hex } from '@bridle/surfaces/http/access/secrets'
import { jsonResponse } from '@bridle/surfaces/http/answers/json-response'
import { badRequest, Denial, isDenial } from '@bridle/surfaces/http/denials/denial'
import { ImportBudget, ImportInterruption } from '@bridle/surfaces/http/history/import-budget'
import { isSet, payloadProblem } from '@bridle/surfaces/http/history/import-routes'
import { encodeFilePart, FILE_HEADER, rootName } from '@bridle/surfaces/http/history/tree-files'
import type { RouteCall } from '@bridle/surfaces/http/router/route'
import type { ImportReceipt } from '@bridle/wire/http/wire'
import { copyOf } from '../platform/platform.ts'
import { type TreeObjects, tooManyTrees, treesMoved } from './tree-objects.ts'

interface ImportQuery {
  readonly check?: string
  readonly rename?: string
}
type ImportCall = Pick<RouteCall<ImportQuery, unknown>, 'access' | 'query' | 'rawBody' | 'request'> & {
  readonly ports: Pick<RouteCall<ImportQuery, unknown>['ports'], 'cpuMs' | 'clock'>
}
type TreeLines = readonly [SessionLines, ...SessionLines[]]

export const splitImport = async (objects: TreeObjects, call: ImportCall): Promise<Response | Denial> => {
  const budget = new ImportBudget(call.ports, call.request.signal)
  return importTrees(objects, call, budget).catch((error: unknown) => {
    if (error instanceof ImportInterruption) return error.denial
    throw error
  })
}

const importTrees = async (
  objects: TreeObjects,
  call: ImportCall,
  budget: ImportBudget,
): Promise<Response | Denial> => {
  const file = await call.rawBody.bytes()
  if (isDenial(file)) return file
  const scanned = await scanExport(file, { payloadProblem, nextTurn: budget.nextTurn }).catch((error: unknown) => {
    if (error instanceof ExportError) return badRequest(error.message)
    throw error
  })
  if (isDenial(scanned)) return scanned
  const trees = treesOf(scanned.sessions)
  if (isDenial(trees)) return trees
  // Per tree: find its home, validate, import.
  const many = tooManyTrees(3 * trees.length)
  if (many) return many
  const send = async (isCheck: boolean): Promise<ImportReceipt | Response | Denial> => {
    const sessions: ImportReceipt['sessions'][number][] = []
    for (const tree of trees) {
      await budget.letOthersWork()
      const answer = await sendTree(objects, call, { file, digest: scanned.digest, tree, isCheck }).catch(async () => {
        // A client disconnect also ends the request to the object.
        await budget.letOthersWork()
        return treesMoved()
      })
      if (isDenial(answer) || !answer.ok) return isDenial(answer) ? answer : copyOf(answer)
      sessions.push(...((await answer.json()) as ImportReceipt).sessions)
    }
    return { sessions }
  }
  const checked = await send(true)
  if (!isReceipt(checked)) return checked
  const twice = checked.sessions.find(
    ({ id, agent }, index) => checked.sessions.findIndex((each) => each.id === id && each.agent === agent) < index,
  )
  if (twice)
    return new Denial('conflict', `Two sessions of the file would get the id "${twice.id}". Import them apart.`)
  const written = isSet(call.query.check) ? checked : await send(false)
  return isReceipt(written) ? jsonResponse(written) : written
}

const isReceipt = (answer: ImportReceipt | Response | Denial): answer is ImportReceipt => 'sessions' in answer

/** Servers write each tree contiguously. */
const treesOf = (sessions: readonly SessionLines[]): readonly TreeLines[] | Denial => {
  const trees: [SessionLines, ...SessionLines[]][] = []
  const treeOf = new Map<string, SessionLines[]>()
  for (const each of sessions) {
    const above = each.session.parent && treeOf.get(rootName(each.session.parent))
    if (above && above !== trees.at(-1))
      return badRequest(
        `Line ${each.line}: The branch "${each.session.id}" is not among those of its parent. Export it again.`,
      )
    if (above) above.push(each)
    else trees.push([each])
    treeOf.set(rootName(each.session), above ?? (trees.at(-1) as SessionLines[]))
  }
  return trees
}

interface TreeImport {
  readonly file: Uint8Array
  readonly digest: string
  readonly tree: TreeLines
  readonly isCheck: boolean
}

const sendTree = async (
  objects: TreeObjects,
  { access, query, request }: ImportCall,
  { file, digest, tree, isCheck }: TreeImport,
): Promise<Response> => {
  const [{ session: root, line }] = tree
  // A branch of a session that is here lives with that session.
  const { agent, id } = root.parent ?? root
  const key: Key = { tenant: access.tenant, agent, id }
  const url = new URL(request.url)
  url.search = new URLSearchParams({
    ...(isSet(query.rename) && { rename: '1' }),
    ...(isCheck && { check: '1' }),
  }).toString()
  const headers = { 'content-type': 'application/x-ndjson' }
  const { signal } = request
  const part = new Request(url, { method: 'POST', headers, body: await partOf(file, tree), signal })
  const header = { [FILE_HEADER]: encodeFilePart({ digest, linesBefore: line - 2 }) }
  return objects.ask(await objects.home(key), part, access, header)
}

const partOf = async (file: Uint8Array, tree: TreeLines): Promise<Uint8Array<ArrayBuffer>> => {
  const head = file.subarray(0, file.indexOf(NEWLINE) + 1)
  const body = file.subarray(tree[0].from, tree.at(-1)?.to)
  const lines = new Uint8Array(head.length + body.length)
  lines.set(head)
  lines.set(body, head.length)
  const digest = `sha256:${hex(await crypto.subtle.digest('SHA-256', lines))}`
  const entries = tree.reduce((sum, each) => sum + each.entries, 0)
  const end = new TextEncoder().encode(`${JSON.stringify({ end: { sessions: tree.length, entries, digest } })}\n`)
  const part = new Uint8Array(lines.length + end.length)
  part.set(lines)
  part.set(end, lines.length)
  return part
}

const NEWLINE = '\n'.charCodeAt(0)
