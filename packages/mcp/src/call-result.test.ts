import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { expect, test } from 'vitest'
import { type CallResult, failureText, resultValue } from './call-result.ts'
import { startHttpFixture } from './http-fixture.suite.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, lastOutcome } from './mcp-world.suite.ts'

const text = (value: string) => ({ type: 'text', text: value })

test.each<[string, CallResult, unknown]>([
  ['a text', { content: [text('hello')] }, 'hello'],
  ['texts', { content: [text('a'), text('b')] }, 'a\nb'],
  ['nothing', { content: [] }, ''],
  ['data, and the same as text', { content: [text('{"a":1}')], structuredContent: { a: 1 } }, { a: 1 }],
  [
    'data and a link',
    { content: [{ type: 'resource_link', uri: 'a:b', name: 'n', extra: 'x' }], structuredContent: { a: 1 } },
    { content: [{ type: 'resource_link', uri: 'a:b', name: 'n' }], structured: { a: 1 } },
  ],
  ['an odd block', { content: [{ type: 'x', uri: 7 }] }, { content: [{ type: 'x' }] }],
  ['many blocks', { content: Array(300).fill(text('a')) }, `${'a\n'.repeat(200)}… 100 more blocks are left out.`],
])('[N136] the model reads %s', async (_name, result, expected) => {
  expect(await resultValue('docs_x', result, async () => {})).toEqual(expected)
})

test('[N136] the text of a failure has a bound', () => {
  expect(failureText({ content: [text('a'), { type: 'image' }, text('b'.repeat(10_000))] })).toHaveLength(2_000)
})

test('[N136] files of three sessions become artifacts, and a failed tool an error', async () => {
  await using server = await startHttpFixture()
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { idleMs: 0 })]))
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  const results = await Promise.all(keys.map((key) => ask(it, 'docs_picture', key)))
  const image = { type: 'image', mime_type: 'image/png', artifact: 'docs_picture-2', bytes: 6 }
  expect(results).toEqual(Array(3).fill({ content: ['Look:', image] }))
  for (const key of keys)
    expect(await it.payloads('artifact_published', key)).toMatchObject([{ name: 'docs_picture-2' }])
  expect(await ask(it, 'docs_links', keys[1])).toEqual({
    content: [
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', mime_type: 'text/plain' },
      { type: 'resource', uri: 'file:///b.txt', mime_type: 'text/plain', text: 'inside' },
      {
        type: 'resource',
        mime_type: 'application/octet-stream',
        artifact: 'docs_links-3',
        bytes: 3,
        uri: 'file:///c.bin',
      },
    ],
  })
  await ask(it, 'docs_fail', keys[2])
  expect(await lastOutcome(it, keys[2])).toEqual({
    status: 'error',
    reason: 'mcp_tool_failed',
    error: 'The disk is full.',
  })
  await ask(it, 'docs_sum {"a":"two"}', keys[2])
  expect(await lastOutcome(it, keys[2])).toMatchObject({ status: 'error', reason: 'arguments_invalid' })
})
