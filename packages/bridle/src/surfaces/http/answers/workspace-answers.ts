// The declared answers of the routes about the files of a session.
import * as v from 'valibot'
import type {
  WorkspaceChange,
  WorkspaceEntry,
  WorkspaceFile,
  WorkspaceFolder,
  WorkspaceOffer,
  WorkspaceReport,
} from '../wire.ts'
import type { WorkspaceComparison } from '../workspaces/workspaces.ts'
import {
  type AnswerEntries,
  answerSchema,
  count,
  flag,
  jsonAnswer,
  list,
  nullableText,
  nullableTime,
  text,
} from './answer-schema.ts'

const entryKind = v.picklist(['file', 'folder', 'link', 'other'])
const nullableCount = v.nullable(count)

const changeSchema = answerSchema<WorkspaceChange>('WorkspaceChange', {
  path: text,
  kind: entryKind,
  status: v.picklist(['added', 'modified', 'deleted']),
  additions: nullableCount,
  deletions: nullableCount,
  is_binary: flag,
})

const comparisonEntries: AnswerEntries<WorkspaceComparison> = {
  kind: v.nullable(v.picklist(['git_worktree', 'copy', 'empty', 'in_place'])),
  is_available: flag,
  is_compared: flag,
  reason: v.optional(text),
  changes: list(changeSchema),
  truncated: flag,
}
export const comparisonSchema = answerSchema<WorkspaceComparison>('WorkspaceComparison', comparisonEntries)

export const workspaceOfferAnswer = jsonAnswer(
  'What a new session may work with.',
  answerSchema<WorkspaceOffer>('WorkspaceOffer', {
    modes: list(v.picklist(['write', 'in_place'])),
    sources: list(text),
    any_source: flag,
  }),
  { modes: ['write', 'in_place'], sources: ['/home/ada/shop'], any_source: false },
)

export const workspaceAnswer = jsonAnswer(
  'The workspace, and its files that differ from the source.',
  answerSchema<WorkspaceReport>('WorkspaceReport', {
    workspace_id: nullableText,
    mode: text,
    source: nullableText,
    ...comparisonEntries,
  }),
  {
    workspace_id: 'ws-4f1b7f0a2c9d3e55',
    mode: 'write',
    kind: 'git_worktree',
    source: '/srv/projects/shop',
    is_available: true,
    is_compared: true,
    changes: [
      { path: 'src/cart.ts', kind: 'file', status: 'modified', additions: 12, deletions: 3, is_binary: false },
      { path: 'src/total.ts', kind: 'file', status: 'added', additions: 40, deletions: 0, is_binary: false },
    ],
    truncated: false,
  },
)

const entrySchema = answerSchema<WorkspaceEntry>('WorkspaceEntry', {
  name: text,
  kind: entryKind,
  size: nullableCount,
  modified: nullableTime,
})

export const workspaceFolderSchema = answerSchema<WorkspaceFolder>('WorkspaceFolder', {
  path: text,
  entries: list(entrySchema),
  truncated: flag,
})

export const workspaceFolderAnswer = jsonAnswer('The entries of one folder.', workspaceFolderSchema, {
  path: 'src',
  entries: [{ name: 'cart.ts', kind: 'file', size: 1_840, modified: '2026-11-16T09:00:04.000Z' }],
  truncated: false,
})

export const workspaceFileSchema = answerSchema<WorkspaceFile>('WorkspaceFile', {
  path: text,
  version: v.picklist(['current', 'source']),
  kind: v.picklist(['file', 'link']),
  size: count,
  is_binary: flag,
  text: nullableText,
  truncated: flag,
})

export const workspaceFileAnswer = jsonAnswer(
  'The text of a file, as it is now or as the workspace began.',
  workspaceFileSchema,
  {
    path: 'src/cart.ts',
    version: 'current',
    kind: 'file',
    size: 29,
    is_binary: false,
    text: 'export const items = [] // …\n',
    truncated: false,
  },
)
