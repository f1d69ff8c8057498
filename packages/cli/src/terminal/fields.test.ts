import { expect, test } from 'vitest'
import { printUnder } from './fields.ts'
import type { CliOutput } from './output.ts'

const terminal: CliOutput = {
  ...{ isJson: false, canAsk: true, width: 42, write: () => {}, line: () => {}, note: () => {}, row: () => {} },
  style: (_format, text) => text,
}

test('[C281] what an agent needs is wrapped between words: people copy it', () => {
  expect(printUnder(terminal, 'needs', 'Run: npm install @anthropic-ai/claude-agent-sdk')).toEqual([
    '  needs: Run: npm install',
    '         @anthropic-ai/claude-agent-sdk',
  ])
})
