// The answers of the MCP server, as they are sent.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../tools/tool.ts'
import { ServedWorld } from './served-world.suite.ts'

const printing = (text: string) =>
  new ServedWorld([tool({ name: 'print', description: 'Prints.', input: z.object({}), run: () => text })])

describe('the answer to a call', () => {
  test.each([
    ['escapes', '"', 8_100_000],
    ['characters of three bytes', '€', 5_400_000],
  ])('[EN59] is one sentence if %s make it larger than a message can be', async (_name, character, count) => {
    const it = printing(character.repeat(count))
    await it.begin()
    const { text, isError } = await it.call('toolu_1', 'print')
    expect([text.slice(0, 200), isError]).toEqual([expect.stringMatching(/^The tool has run, but .* bytes\.$/), true])
    expect(await it.outcomes()).toEqual(['toolu_1 artifact'])
  })

  test('[EN59] is all of a result that fits', async () => {
    const it = printing('"'.repeat(7_900_000))
    await it.begin()
    expect((await it.call('toolu_1', 'print')).text).toHaveLength(7_900_000)
  })
})
