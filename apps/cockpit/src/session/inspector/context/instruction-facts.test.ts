import { expect, test } from 'vitest'
import { instructionFacts } from './instruction-facts.ts'

test('[C427] a payload of another version is read as far as it is known', () => {
  const file = { path: 'CLAUDE.md', kind: 'instructions', bytes: 12, digest: 'ab', later: true }
  expect(
    instructionFacts({
      files: [file, null, { path: 7 }],
      left_out: [{ path: 'AGENTS.md', reason: 'is a link' }, 'odd'],
      ignored: [
        { path: '.mcp.json', keys: [] },
        { path: 'a.md', keys: ['hooks', 3] },
      ],
    }),
  ).toEqual({
    files: [
      { path: 'CLAUDE.md', kind: 'instructions', bytes: 12, digest: 'ab' },
      { path: '', kind: '', bytes: 0, digest: '' },
    ],
    leftOut: [{ path: 'AGENTS.md', reason: 'is a link' }],
    ignored: [
      { path: '.mcp.json', keys: [] },
      { path: 'a.md', keys: ['hooks', ''] },
    ],
  })
  expect(instructionFacts({})).toEqual({ files: [], leftOut: [], ignored: [] })
})
