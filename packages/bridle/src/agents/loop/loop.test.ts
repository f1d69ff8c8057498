import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { tool } from '../tool.ts'
import { type Answering, LoopWorld, lastResults, lastText, stubModel } from './loop.suite.ts'

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: v.object({ path: v.string() }),
  effect: 'pure',
  run: ({ path }) => `text of ${path}`,
})

const tested = (answer: Answering, more: object = {}) =>
  agent({ name: 'tested', model: stubModel(answer), instructions: 'Be brief.', tools: [read], ...more })

/** Reads as many files as the prompt has words, one after the other, and says what it has read. */
const reader: Answering = (prompt) => {
  const results = lastResults(prompt)
  if (!results) return { text: 'Let me see. ', calls: [['read', { path: lastText(prompt) }]] }
  return { text: `I have read: ${results.join(', ')}` }
}

describe('a turn', () => {
  test('[N40] is asked for, its calls are made, and its last answer is the result', async () => {
    const requests: unknown[] = []
    const it = new LoopWorld(
      tested((prompt, options) => {
        requests.push(prompt)
        expect(options.tools?.map(({ name }) => name)).toEqual(['read'])
        return reader(prompt, options)
      }),
    )
    expect(await it.ask('a.txt')).toMatchObject({ status: 'completed' })
    expect(await it.result()).toBe('I have read: text of a.txt')
    const types = (await it.events()).map(({ type }) => type)
    expect(types.slice(types.indexOf('turn_start_tools'))).toEqual([
      'turn_start_tools',
      'session_state',
      ...['token', 'token', 'token', 'model_step', 'usage', 'tool_call', 'tool_result', 'tool_outcome'],
      ...[
        'token',
        'token',
        'token',
        'token',
        'token',
        'token',
        'model_step',
        'usage',
        'response',
        'completed',
        'turn_end',
        'session_state',
      ],
    ])
    expect(requests).toEqual([
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'a.txt' }] },
      ],
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'a.txt' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see. ' },
            { type: 'tool-call', toolCallId: 'call_2_0', toolName: 'read', input: { path: 'a.txt' } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_2_0',
              toolName: 'read',
              output: { type: 'text', value: 'text of a.txt' },
            },
          ],
        },
      ],
    ])
  })
})
