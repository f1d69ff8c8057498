// The session knows its workspace; a port of the target reads the disk.

import type { JsonObject } from '@bridle/events/json'
import type { Session } from '@bridle/kernel/session/session'
import type {
  WorkspaceComparison,
  WorkspaceFile,
  WorkspaceFolder,
  WorkspaceOffer,
  WorkspaceReport,
} from '@bridle/wire/http/wire'
import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import {
  workspaceAnswer,
  workspaceFileAnswer,
  workspaceFolderAnswer,
  workspaceOfferAnswer,
} from '../answers/workspace-answers.ts'
import { badRequest, Denial, rateLimited } from '../denials/denial.ts'
import { get, type Route } from '../router/route.ts'
import { findKey, onSession } from '../sessions/routes.ts'
import type { WorkspaceFilesRefusal } from './workspaces.ts'

/** Linux's PATH_MAX. */
const WORKSPACE_PATH_CHARS_MAX = 4_096

const pathSchema = v.pipe(v.string(), v.maxLength(WORKSPACE_PATH_CHARS_MAX))

export const workspaceFileRoutes: readonly Route[] = [
  get('/workspaces', {
    scope: 'operate',
    summary: 'The folders that a new session may work with, and how',
    call: 'workspaces',
    answers: { 200: workspaceOfferAnswer },
    handle: ({ access, ports }) =>
      json<WorkspaceOffer>(ports.workspaces?.offer(access) ?? { modes: [], sources: [], any_source: false }),
  }),
  get('/sessions/:id/workspace', {
    scope: 'observe',
    summary: 'The workspace of a session, with the files that differ from its source',
    call: 'workspace',
    session: findKey,
    answers: { 200: workspaceAnswer },
    handle: onSession(async (session, call) => {
      const comparison = (await call.ports.workspaceFiles?.compare(session.key)) ?? ELSEWHERE
      if ('refused' in comparison) return refusalOf(comparison)
      return json<WorkspaceReport>({ ...workspaceFields(session), ...comparison })
    }),
  }),
  get('/sessions/:id/workspace/files', {
    scope: 'observe',
    summary: 'The entries of a folder in the workspace of a session; without `path`, of the workspace itself',
    call: { name: 'workspaceFiles', positional: ['path'] },
    session: findKey,
    query: v.looseObject({ path: v.optional(pathSchema) }),
    answers: { 200: workspaceFolderAnswer },
    handle: onSession(async (session, call) => {
      const folder = await call.ports.workspaceFiles?.list(session.key, call.query.path ?? '')
      if (!folder) return unavailable()
      return 'refused' in folder ? refusalOf(folder) : json<WorkspaceFolder>(folder)
    }),
  }),
  get('/sessions/:id/workspace/file', {
    scope: 'observe',
    summary: 'The text of a file in the workspace of a session, as it is now or as the workspace began',
    call: 'workspaceFile',
    session: findKey,
    query: v.looseObject({
      path: pathSchema,
      version: v.optional(v.picklist(['current', 'source'])),
    }),
    answers: { 200: workspaceFileAnswer },
    handle: onSession(async (session, call) => {
      const { path, version = 'current' } = call.query
      const file = await call.ports.workspaceFiles?.read(session.key, path, version)
      if (!file) return unavailable()
      return 'refused' in file ? refusalOf(file) : json<WorkspaceFile>(file)
    }),
  }),
]

/** Files in a place that this server cannot read. */
const ELSEWHERE: WorkspaceComparison = {
  kind: null,
  is_available: false,
  is_compared: false,
  reason: 'The files of this session are not on the disk of this server.',
  changes: [],
  truncated: false,
}

const unavailable = (): Denial =>
  new Denial('not_found', 'The files of this session are not on the disk of this server.')

const refusalOf = ({ refused, message }: WorkspaceFilesRefusal): Denial => {
  switch (refused) {
    case 'not_found':
      return new Denial('not_found', message)
    case 'bad_path':
      return badRequest(`query: path: ${message}`)
    case 'busy':
      return rateLimited(message)
  }
}

const workspaceFields = ({ state }: Session): Pick<WorkspaceReport, 'workspace_id' | 'mode' | 'source'> => {
  const { settings } = state.lifecycle
  return {
    workspace_id: textIn(settings, 'workspace_id'),
    mode: (textIn(settings, 'workspace_mode') ?? 'none') as WorkspaceReport['mode'],
    source: textIn(settings, 'workspace_source'),
  }
}

const textIn = (settings: JsonObject, name: string): string | null => {
  const value = settings[name]
  return typeof value === 'string' ? value : null
}
