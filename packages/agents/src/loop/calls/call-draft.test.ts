import { VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { RAW_CHARS_MAX } from '../../model/limits.ts'
import type { StepCall } from '../../model/model.ts'
import { tool } from '../../tools/tool.ts'
import { draftCall } from './call-draft.ts'

const input = v.object({ path: v.string() })
const read = tool({ name: 'read_file', description: 'x', effect: 'pure', input, run: () => null })
const list = tool({ name: 'list', description: 'x', input, run: () => null })
const tools = new Map([read, list].map((each) => [each.name, each]))
const deadline = {
  ...{ clock: new VirtualClock(), signal: new AbortController().signal, ms: 1_000 },
  error: () => new Error('It took too long.'),
}
const draft = (call: Partial<StepCall>) =>
  draftCall({ type: 'call', id: 'c', provider_id: 'p', tool: 'list', input: {}, ...call } as StepCall, tools, deadline)
/** A text of a length whose beginning means an object. */
const fenced = (chars: number) => {
  const text = '```json\n{"path": "a"}\n```'
  return text + ' '.repeat(chars - text.length)
}

test.each([
  ['a text that the log has as a whole is repaired', RAW_CHARS_MAX - 2, { path: 'a' }],
  ['a text that ends at the limit is not', RAW_CHARS_MAX, {}],
  ['nor one that ends before a pair that the limit would split', RAW_CHARS_MAX - 1, {}],
])('[N99] %s', async (_name, chars, args) => {
  const made = await draft({ problem: 'It is no JSON.', raw: fenced(chars) })
  expect(made).toMatchObject({ args, repaired: 'path' in args ? 'It is no JSON.' : null })
})

test('[N100] a name that only nearly fits, with arguments that do not, is a call of an unknown tool', async () => {
  const made = await draft({ tool: 'ReadFile', input: { path: 7 } })
  expect(made).toMatchObject({ tool: null, repaired: null })
  expect(made.checked).toEqual({ problem: 'There is no tool "ReadFile". The tools are: read_file, list.' })
  expect(await draft({ tool: 'ReadFile', input: { path: 'a' } })).toMatchObject({ tool: read, args: { path: 'a' } })
})
