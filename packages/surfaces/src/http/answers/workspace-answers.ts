import {
  workspaceFileSchema,
  workspaceFolderSchema,
  workspaceOfferSchema,
  workspaceReportSchema,
} from '@bridle/wire/http/wire/workspaces'
import { jsonAnswer } from './answer-schema.ts'

export const workspaceOfferAnswer = jsonAnswer('What a new session may work with.', workspaceOfferSchema, {
  modes: ['write', 'in_place'],
  sources: ['/home/ada/shop'],
  any_source: false,
})

export const workspaceAnswer = jsonAnswer(
  'The workspace, and its files that differ from the source.',
  workspaceReportSchema,
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

export const workspaceFolderAnswer = jsonAnswer('The entries of one folder.', workspaceFolderSchema, {
  path: 'src',
  entries: [{ name: 'cart.ts', kind: 'file', size: 1_840, modified: '2026-11-16T09:00:04.000Z' }],
  truncated: false,
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
