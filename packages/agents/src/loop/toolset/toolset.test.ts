import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import type { ToolSource, ToolSourceContext } from '../../tools/tool-source.ts'
import { keyOf, LoopWorld, lastResults, lastText, stubModel } from '../loop.suite.ts'

const echo = (name: string): Tool =>
  tool({ name, description: `Says ${name}.`, effect: 'pure', run: () => `${name} was called` })

/** Calls the tool that the prompt names, then ends the turn with its result. */
const caller = stubModel((prompt) => {
  const results = lastResults(prompt)
  return results ? { text: String(results[0]) } : { calls: [[lastText(prompt), {}]] }
})

const sourceOf = (name: string, tools: readonly Tool[]) => {
  const opened: ToolSourceContext[] = []
  let closed = 0
  const source: ToolSource = {
    name,
    open: (context) => {
      opened.push(context)
      return {
        tools,
        close: () => {
          closed += 1
        },
      }
    },
  }
  return { source, opened, closed: () => closed }
}

test('[N80] the tools of sources and of middleware are offered beside the agent’s own', async () => {
  const files = sourceOf('files', [echo('read'), echo('write')])
  const it = new LoopWorld(
    agent({
      name: 'tested',
      model: caller,
      tools: [echo('own'), files.source],
      use: [{ name: 'planner', tools: [echo('plan')] }],
    }),
  )
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  for (const name of ['own', 'write', 'plan']) {
    for (const key of keys) await it.submit(name, key)
    await it.quiet()
    for (const key of keys) expect(await it.result(key)).toBe(`${name} was called`)
  }
  expect((await it.payloads('turn_start_tools', keys[2])).map(({ tools, of }) => [tools, of])).toEqual(
    Array(3).fill([['own', 'read', 'write', 'plan'], 4]),
  )
  expect(files.opened.map(({ sessionId, tenant }) => [sessionId, tenant])).toEqual(
    Array(3)
      .fill([
        ['a', 'acme'],
        ['b', 'acme'],
        ['c', 'acme'],
      ])
      .flat(),
  )
  expect(files.closed()).toBe(9)
})

test.each<[string, () => ToolSource['open'] extends (context: never) => infer R ? R : never, string]>([
  ['throws', () => Promise.reject(new Error('no such server')), 'no such server'],
  ['gives a tool that tool() has not made', () => ({ tools: [{ name: 'x' } as never] }), 'Make each one with tool()'],
  ['gives a name that is taken', () => ({ tools: [echo('own')] }), 'Two tools of the agent have the name "own"'],
  ['never answers', () => new Promise(() => {}), '60000 ms are over'],
])('[N81] a source that %s fails the run with a reason, and closes the other sources', async (_name, open, message) => {
  const other = sourceOf('other', [echo('read')])
  const it = new LoopWorld(
    agent({ name: 'tested', model: caller, tools: [echo('own'), { name: 'broken', open }, other.source] }),
  )
  await it.submit('own')
  await it.quiet()
  await it.clock.pass(60_001)
  await it.quiet()
  const [error] = await it.payloads('error')
  expect(error).toMatchObject({ reason: 'tool_source_failed', message: expect.stringContaining(message) })
  expect(other.closed()).toBe(1)
})
