// A requested workspace is provided or refused, never ignored.

import type { JsonObject } from '@bridle/events/json'
import { WORKSPACE_MODES } from '@bridle/wire/http/wire/workspaces'
import * as v from 'valibot'
import { badRequest, type Denial } from '../denials/denial.ts'
import { optionalField, optionsType } from '../requests/request-fields.ts'

const modeSchema = v.picklist(WORKSPACE_MODES)

/** An empty path would resolve to the server's start folder. */
const sourceSchema = v.pipe(
  v.string(),
  v.regex(/\S/, 'An empty text names no folder. Write its path, such as "/path/to/project", or leave the field out.'),
)

const mode = optionalField(
  '`write`: on a branch of its own where the source is a repository, else in a copy, or in an empty folder without a source. `in_place`: in the source itself, on a server of one’s own. Default: `write` with a source, else `none`.',
  modeSchema,
)
const source = optionalField('A folder of the server, as `GET /workspaces` names them.', sourceSchema)

export const workspaceFields = {
  workspace: v.optional(
    optionsType(
      'NewWorkspace',
      'The folder of a new session. Default: none. A session that continues another one keeps its workspace, unless the other one was imported.',
      { mode, source },
    ),
  ),
  workspace_mode: optionalField('The access to a workspace without a source.', modeSchema),
}

export const workspaceQuery = { workspace: source, workspace_mode: mode }

type WorkspaceBody = v.InferOutput<v.ObjectSchema<typeof workspaceFields, undefined>>
type WorkspaceQuery = v.InferOutput<v.ObjectSchema<typeof workspaceQuery, undefined>>

export interface WorkspaceChoice {
  readonly mode: v.InferOutput<typeof modeSchema>
  readonly source: string | null
}

/** The default mode of a source is `write`, which leaves the source itself unchanged. */
export const workspaceOf = ({ workspace, workspace_mode: mode }: WorkspaceBody): WorkspaceChoice | Denial =>
  checked({ mode: workspace?.mode ?? mode, source: workspace?.source }, 'body')

export const workspaceInQuery = ({
  workspace,
  workspace_mode: mode,
}: WorkspaceQuery): WorkspaceChoice | Denial | null =>
  workspace === undefined && mode === undefined ? null : checked({ mode, source: workspace }, 'query')

export const workspaceSettings = ({ mode, source }: WorkspaceChoice): JsonObject => ({
  workspace_mode: mode,
  ...(source !== null && { workspace_source: source }),
})

const checked = (
  { mode, source }: { readonly mode: WorkspaceChoice['mode'] | undefined; readonly source: string | undefined },
  place: 'body' | 'query',
): WorkspaceChoice | Denial => {
  const choice = { mode: mode ?? (source === undefined ? 'none' : 'write'), source: source ?? null } as const
  if (source !== undefined && (choice.mode === 'none' || choice.mode === 'read'))
    return badRequest(
      `${place}: workspace: A source needs the mode write or in_place; with ${choice.mode} nothing would be done with it`,
    )
  if (choice.mode === 'in_place' && source === undefined)
    return badRequest(`${place}: workspace: The mode in_place needs a source: the folder to work in`)
  return choice
}
