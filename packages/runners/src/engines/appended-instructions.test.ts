import { expect, test } from 'vitest'
import { appendedInstructions } from './appended-instructions.ts'

const repository = {
  ...{ skills: [], subagents: [], commands: [], digest: 'd' },
  instructions: [{ path: 'CLAUDE.md', text: 'Use tabs.' }],
}

test('[EN1] the texts of the repository come after the instructions of the operator', () => {
  expect(appendedInstructions({})).toBe(null)
  expect(appendedInstructions({ repository: { ...repository, instructions: [] } })).toBe(null)
  expect(appendedInstructions({ instructions: 'Be brief.' })).toBe('Be brief.')
  expect(appendedInstructions({ instructions: 'Be brief.', repository })).toMatch(
    /^Be brief\.\n\n# The repository[\s\S]*Contents of CLAUDE\.md:\n\nUse tabs\.$/,
  )
})
