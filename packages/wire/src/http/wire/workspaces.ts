import * as v from 'valibot'
import * as f from './fields.ts'

export const WORKSPACE_MODES = ['none', 'read', 'write', 'in_place'] as const
/** A worktree of the source's repository, a copy of the source, an empty folder, or the source itself. */
export const WORKSPACE_KINDS = ['git_worktree', 'copy', 'empty', 'in_place'] as const
const ENTRY_KINDS = ['file', 'folder', 'link', 'other'] as const
const entryKind = f.oneOf(ENTRY_KINDS, 'The kind.')
/** Kind of a workspace entry. Links are listed but never followed; `other` is never opened. */
export type WorkspaceEntryKind = f.AnswerOf<typeof entryKind>

const changeSchema = f.answer('WorkspaceChange', 'A file of a workspace that differs from the source.', {
  path: f.text('The path below the workspace, with `/`. Names are data: an agent chose them.'),
  kind: f.oneOf(ENTRY_KINDS, 'The kind, now or in the source. A `folder` is not searched, such as `node_modules`.'),
  status: f.oneOf(['added', 'modified', 'deleted'], 'The difference.'),
  additions: f.nullable(f.count('The number of added lines; null = not counted: binary or too large.')),
  deletions: f.nullable(f.count('The number of deleted lines; null = not counted.')),
  is_binary: f.flag('True = the file or its source is binary.'),
})
export type WorkspaceChange = f.AnswerOf<typeof changeSchema>

export const workspaceOfferSchema = f.answer('WorkspaceOffer', 'The workspaces that a new session may have.', {
  modes: f.list(
    v.picklist(['write', 'in_place']),
    '`write`: on a branch or in a copy. `in_place`: in the folder itself. Empty = no workspaces here.',
  ),
  sources: f.list(v.string(), 'Folders that the caller may name, with the folders below them.'),
  any_source: f.flag("True = the caller may name any folder that the server's user can read."),
})
export type WorkspaceOffer = f.AnswerOf<typeof workspaceOfferSchema>

export const comparisonSchema = f.answer('WorkspaceComparison', 'The changes in a workspace.', {
  kind: f.nullable(f.oneOf(WORKSPACE_KINDS, 'How the workspace began; null = unknown.')),
  is_available: f.flag('True = the files can be listed and read here.'),
  is_compared: f.flag('True = the files were compared with the source. False: `changes` is empty and says nothing.'),
  reason: f.optional(f.text('The reason why there are no files, or why they were not compared.')),
  changes: f.list(changeSchema, 'The differences, by path.'),
  truncated: f.flag('True = there may be more differences than these.'),
})
export type WorkspaceComparison = f.AnswerOf<typeof comparisonSchema>

export const workspaceReportSchema = f.extendedAnswer(
  'WorkspaceReport',
  'The workspace of a session, with its changes.',
  [comparisonSchema],
  {
    workspace_id: f.nullableText('The id of the workspace; null = none was prepared.'),
    mode: f.oneOf(WORKSPACE_MODES, 'The access to the workspace.'),
    source: f.nullableText('The folder that the workspace began with; null = it began empty.'),
  },
)
export type WorkspaceReport = f.AnswerOf<typeof workspaceReportSchema>

const entrySchema = f.answer('WorkspaceEntry', 'An entry of a folder in a workspace.', {
  name: f.text('The name. An agent chose it.'),
  kind: entryKind,
  size: f.nullable(f.count('The length in bytes; null = not a file.')),
  modified: f.nullableTime('The time of the last change, in ISO 8601; null = unknown.'),
})
export type WorkspaceEntry = f.AnswerOf<typeof entrySchema>

const truncated = f.flag('True = there is more than this.')

export const workspaceFolderSchema = f.answer('WorkspaceFolder', 'The entries of one folder in a workspace.', {
  path: f.text('The path below the workspace; empty = the workspace itself.'),
  entries: f.list(entrySchema, 'The entries: folders first, then by name.'),
  truncated,
})
export type WorkspaceFolder = f.AnswerOf<typeof workspaceFolderSchema>

export const workspaceFileSchema = f.answer(
  'WorkspaceFile',
  'A file of a workspace. The text of a link is its target.',
  {
    path: f.text('The path below the workspace.'),
    version: f.oneOf(['current', 'source'], '`current`: as it is now. `source`: as the workspace began.'),
    kind: f.oneOf(['file', 'link'], 'The kind.'),
    size: f.count('The length in bytes.'),
    is_binary: f.flag('True = the content is binary.'),
    text: f.nullableText('The text, at most 1 MB of it; null = binary, or the server kept no content of the source.'),
    truncated,
  },
)
export type WorkspaceFile = f.AnswerOf<typeof workspaceFileSchema>
