import { expect, test } from 'vitest'
import { changesNote } from './workspace-note.ts'

test.each([
  ['git_worktree', 'To bring the changes into your folder:\n  bridle apply w --data here'],
  ['copy', 'The changes are in\n  /kept'],
  ['in_place', null],
] as const)('[C141] the changes of a workspace of the kind %s', async (workspace_kind, expected) => {
  const fabric = {
    workspace: async () => ({ is_compared: true, changes: [{}] }),
    session: async () => ({ id: 'w', workspace_kind, workspace_path: '/kept' }),
  } as unknown as Parameters<typeof changesNote>[0]
  expect(await changesNote(fabric, { id: 'w', agent: 'a' }, ' --data here')).toBe(expected)
})
