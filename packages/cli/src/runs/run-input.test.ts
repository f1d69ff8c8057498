import { expect, test } from 'vitest'
import { readRunInput } from './run-input.ts'

test('[C430] --model and --effort are fields of the input, over those of a payload', async () => {
  const payload = '{"model":"a","effort":"low","colour":"red"}'
  expect(await readRunInput('Hello', { payload, model: 'b', set: ['effort=high'] })).toEqual({
    ...{ model: 'b', effort: 'high', colour: 'red', prompt: 'Hello' },
  })
  expect(await readRunInput('Hello', { effort: 'max' })).toEqual({ effort: 'max', prompt: 'Hello' })
  expect(await readRunInput('Hello', {})).toEqual({ prompt: 'Hello' })
})
