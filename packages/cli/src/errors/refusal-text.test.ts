import { FabricError } from '@bridle/client/http/error'
import { expect, test } from 'vitest'
import { explainError } from './explain-error.ts'
import { refusalReason, refusalText } from './refusal-text.ts'

test.each([
  ['query: workspace: The folder is not there.', '--workspace: The folder is not there.'],
  ['body: workspace_mode: Expected read', '--workspace-mode: Expected read'],
  ['query: cursor: Expected the `next` of an earlier answer', '--cursor: Expected the `next` of an earlier answer'],
  ['body: policy.health.max_cost_usd: Expected a number', '--policy: health.max_cost_usd: Expected a number'],
  ['body: prompt: It is missing', 'prompt: It is missing'],
  ['body: Say where: from_event_id', 'Say where: from_event_id'],
  ['The prompt is empty.', 'The prompt is empty.'],
  ['The query: it is odd', 'The query: it is odd'],
])('[C343] the refusal %j is %j', (message, expected) => {
  const error = new FabricError(400, 'bad_request', message)
  expect(refusalText(error)).toBe(expected)
  expect(explainError(error)).toEqual({ code: 2, message: expected })
})

test('[C343] the words of another error stay', () => {
  expect(refusalText(new FabricError(409, 'conflict', 'body: no'))).toBe('body: no')
  expect(refusalText(new Error('query: no'))).toBe('query: no')
  expect(refusalReason(new FabricError(400, 'bad_request', 'body: workspace: No.'))).toBe('No.')
  expect(refusalReason(new FabricError(400, 'bad_request', 'No.'))).toBe('No.')
})
