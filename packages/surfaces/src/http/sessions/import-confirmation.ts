// Replays and branches of an imported session: the request names the workspace of the new session, and confirms the prompts.

import type { JsonObject } from '@bridle/events/json'
import type { Session } from '@bridle/kernel/session/session'
import type { SessionDetail } from '@bridle/wire/http/wire'
import type * as v from 'valibot'
import { Denial, isDenial } from '../denials/denial.ts'
import { optionalText } from '../requests/request-fields.ts'
import type { RouteCall } from '../router/route.ts'
import { workspaceFields, workspaceOf, workspaceSettings } from './workspace-choice.ts'

/** The fields of a request for a new session that continues another one. */
export const continuationFields = {
  ...workspaceFields,
  prompts_digest: optionalText('The `prompts_digest` of the session’s detail: its imported prompts were read.'),
}

export type ContinuationBody = v.InferOutput<v.ObjectSchema<typeof continuationFields, undefined>>
type Ports = Pick<RouteCall<unknown, unknown>['ports'], 'host'>

/** The part of a session's detail that a confirmation needs. Empty if the session was not imported. */
export const importedPart = async (
  { host }: Ports,
  session: Session,
  omit: readonly string[] = [],
): Promise<Pick<SessionDetail, 'imported_prompts' | 'prompts_digest'>> => {
  const imported = await host.importedPrompts(session)
  if (!imported) return {}
  const { prompts, prompts_digest } = imported
  return { ...(!omit.includes('imported_prompts') && { imported_prompts: prompts }), prompts_digest }
}

/**
 * The workspace of the new session as settings; null = that of the session. An imported session has none, and a file must not decide where
 * an agent works: there the request has to name one, even if it is `none`. A repeated request (`isNew` is false) makes nothing, so that
 * it is not refused because the session has gone on.
 */
export const continuationWorkspace = async (
  { host }: Ports,
  session: Session,
  body: ContinuationBody,
  isNew: boolean,
): Promise<JsonObject | null | Denial> => {
  const isNamed = body.workspace !== undefined || body.workspace_mode !== undefined
  const imported = isNew ? await host.importedPrompts(session) : null
  if (imported && body.prompts_digest === undefined) return new Denial('confirm_import', UNCONFIRMED)
  if (imported && body.prompts_digest !== imported.prompts_digest) return new Denial('confirm_import', CHANGED)
  if (imported && !isNamed) return new Denial('confirm_import', NO_WORKSPACE)
  const choice = isNamed ? workspaceOf(body) : null
  return choice === null || isDenial(choice) ? choice : workspaceSettings(choice)
}

/** The settings of the session, without what only one session may have, and with the workspace that a request names. */
export const continuedSettings = ({ state }: Session, workspace: JsonObject | null): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(state.lifecycle.settings).filter(
      ([name]) => !OWN_FIELDS.has(name) && !(workspace && name.startsWith('workspace_')),
    ),
  ),
  ...workspace,
})

const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['workspace_id', 'workspace_path', 'workspace_kind', 'workspace_branch', 'task_graph_id'],
])

const UNCONFIRMED =
  'This session was imported from a file. Read its prompts in GET /sessions/:id, and repeat the request with their `prompts_digest` and a `workspace`.'
const CHANGED =
  'The prompts of this imported session are not those of this `prompts_digest`. Read them again in GET /sessions/:id, and repeat the request with the new one.'
const NO_WORKSPACE =
  'This session was imported from a file and has no workspace. Repeat the request with a `workspace`, such as { "mode": "none" }.'
