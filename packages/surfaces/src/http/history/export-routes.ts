import { EXPORT_SESSIONS_MAX } from '@bridle/history/export/export-reader'
import * as v from 'valibot'
import { viewerField } from '../access/users.ts'
import { exportAnswer } from '../answers/history-answers.ts'
import { badRequest, type Denial } from '../denials/denial.ts'
import { get, type Route } from '../router/route.ts'
import { listFilter, listQuery } from '../sessions/list-filter.ts'
import { findKey, onSession } from '../sessions/routes.ts'
import { listBranches, listingOf, listSessions, planExport } from './export-plan.ts'
import { exportLines, exportResponse } from './export-stream.ts'
import { ALL_TREES, rootsOf, TREE_HEADER, treesOf } from './tree-files.ts'

export const exportRoutes: readonly Route[] = [
  get('/sessions/:id/export', {
    scope: 'observe',
    summary: 'A session with its branches as a file of JSON lines, which any server imports',
    call: 'exportSession',
    session: findKey,
    query: v.looseObject({
      branches: v.optional(v.picklist(['all', 'none'])),
    }),
    answers: { 200: exportAnswer },
    handle: onSession(async (session, call) => {
      const { ports, access, query } = call
      const listings =
        query.branches === 'none' ? [listingOf(session)] : await listBranches(ports, session, await viewerField(access))
      if (!listings) return tooManySessions()
      return exportResponse(exportLines(ports, await planExport(ports, listings)), session.key.id)
    }),
  }),
  get('/export', {
    scope: 'observe',
    concerns: 'sessions',
    summary: 'All sessions of a list in one file; takes the filters of GET /sessions',
    call: { name: 'exportSessions', options: "Omit<SessionFilter, 'limit' | 'cursor' | 'order'>" },
    query: listQuery,
    answers: { 200: exportAnswer },
    handle: async ({ access, query, ports, request }) => {
      const filter = { ...listFilter(ports, query), ...(await viewerField(access)) }
      const listings = await listSessions(ports, access.tenant, filter)
      if (!listings) return tooManySessions()
      const parts = await planExport(ports, listings)
      const tree = ports.behindGateway ? request.headers.get(TREE_HEADER) : null
      if (tree === ALL_TREES) return Response.json(rootsOf(parts))
      return exportResponse(exportLines(ports, tree === null ? parts : (treesOf(parts).get(tree) ?? [])), 'sessions')
    },
  }),
]

export const tooManySessions = (): Denial =>
  badRequest(`A file has at most ${EXPORT_SESSIONS_MAX} sessions. Name a filter, such as agent or changed_since.`)
