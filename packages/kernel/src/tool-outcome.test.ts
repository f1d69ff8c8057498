import type { Payloads } from '@bridle/events/schemas'
import { expect, test } from 'vitest'
import { toolOutcomeOf } from './tool-outcome.ts'

test('[E18] [T32] [H196] an outcome travels with every field that its place on a wire has not, also those of a newer server', () => {
  const payload = {
    ...{ tool_call_id: 'c1', tool_name: 'shell', agent_id: 'sub', outcome_type: 'ToolFailure', result: { output: '' } },
    ...{ status: 'error', elapsed_ms: 5, exit_code: 2, error: 'It failed.', reason: 'why', cpu_ms: 3 },
  } as Payloads['tool_outcome']
  expect(toolOutcomeOf(payload)).toEqual({
    ...{ status: 'error', elapsed_ms: 5, exit_code: 2, error: 'It failed.', reason: 'why', cpu_ms: 3 },
  })
})
