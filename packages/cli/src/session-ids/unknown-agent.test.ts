import { FabricError } from '@bridle/client/http/error'
import { expect, test } from 'vitest'
import { unknownAgent } from './unknown-agent.ts'

test.each([
  [400, 'body: agent: There is no agent scriptd; there is scripted.', 'There is no agent scriptd; there is scripted.'],
  [400, 'body: workspace: The folder is not there.', undefined],
  [400, 'The prompt is empty.', undefined],
  [503, 'The agent "claude" is not available: a key.', undefined],
])('[C165] %i %j', (status, text, message) => {
  const unknown = unknownAgent(new FabricError(status, 'x', text))
  expect([unknown?.code, unknown?.message]).toEqual([message && 1, message])
})
