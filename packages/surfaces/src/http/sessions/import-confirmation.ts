// Replaying or branching an imported session requires a workspace and a confirmation of its prompts.

import type { JsonObject } from '@bridle/events/json'
import type { Session } from '@bridle/kernel/session/session'
import type { SessionDetail } from '@bridle/wire/http/wire'
import type * as v from 'valibot'
import { Denial, isDenial } from '../denials/denial.ts'
import { optionalText } from '../requests/request-fields.ts'
import type { RouteCall } from '../router/route.ts'
import { workspaceFields, workspaceOf, workspaceSettings } from './workspace-choice.ts'

export const continuationFields = {
  ...workspaceFields,
  prompts_digest: optionalText('The `prompts_digest` of the session’s detail: its imported prompts were read.'),
}

export type ContinuationBody = v.InferOutput<v.ObjectSchema<typeof continuationFields, undefined>>
type Ports = Pick<RouteCall<unknown, unknown>['ports'], 'host'>

/** Details that a confirmation needs. Empty if the session was not imported. */
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
 * Workspace settings; null: as in the original. An imported session has none, and a file must not decide where an agent works.
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

/** Drops what only one session may own, and applies the requested workspace. */
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
