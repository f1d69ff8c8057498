// The shell shapes the answer, and its agent learns where its user is.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageOf, script, testEngine } from './engine.suite.ts'
import { shapeText, shellInput } from './shell.ts'

const markdown = [
  '# Title',
  '',
  'Some **bold**, *slanted* and `code`, 2 * 3 * 4, snake_case_name.',
  '',
  '* one',
  '- two: [docs](https://example.com/a)',
  '> quoted',
  '---',
  '```js',
  'const a = **b**',
  '```',
  'The end.',
].join('\n')

const piece = fc.constantFrom('a', 'word', ' ', '\n', '**', '_', '`', '😀', 'é', '# ', 'long'.repeat(20))

describe('[OH23] text', () => {
  test('has no markdown for an im_bot', () => {
    expect(shapeText(markdown, 'im_bot')).toBe(
      [
        'Title',
        '',
        'Some bold, slanted and code, 2 * 3 * 4, snake_case_name.',
        '',
        '• one',
        '• two: docs (https://example.com/a)',
        'quoted',
        '',
        'const a = **b**',
        'The end.',
      ].join('\n'),
    )
  })

  test.each(['tv', 'vehicle_hmi'])('is three lines of forty characters for %s', (kind) => {
    expect(shapeText('A short **answer**.', kind)).toBe('A short answer.')
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(9)
    expect(shapeText(long, kind)).toBe(
      [
        'The quick brown fox jumps over the lazy',
        'dog. The quick brown fox jumps over the',
        'lazy dog. The quick brown fox jumps…',
      ].join('\n'),
    )
  })

  test('whatever it is, it fits the small screen', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const lines = shapeText(pieces.join(''), 'tv').split('\n')
        expect(lines.length).toBeLessThanOrEqual(3)
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(40)
      }),
    )
  })

  test('of a hostile length costs little', () => {
    for (const text of [
      '*'.repeat(100_000),
      '[('.repeat(50_000),
      '_a'.repeat(50_000),
      '`'.repeat(100_000),
      '> '.repeat(50_000),
    ])
      expect(shapeText(text, 'im_bot').length).toBeLessThanOrEqual(text.length)
  })

  test.each([undefined, 'command_shell', 'com.example.kiosk'])('is as it is for %s', (kind) => {
    expect(shapeText(markdown, kind)).toBe(markdown)
  })

  test('is shaped in answers', async () => {
    const { send } = testEngine()
    const context = { session_id: 's', user_intent: script({ text: '**Yes**, all of it.' }) }
    const texts: unknown[] = []
    for (const shell_kind of ['im_bot', 'tv', 'command_shell']) {
      const { body } = await send(messageOf({ ...context, shell: { shell_kind } }))
      texts.push(body.response.action_directives?.[0]?.payload?.text)
    }
    expect(texts).toEqual(['Yes, all of it.', 'Yes, all of it.', '**Yes**, all of it.'])
  })
})

test('[OH24] locale and local time reach the agent; bad ones count as absent', async () => {
  const now = Date.UTC(2026, 0, 31, 23, 30)
  expect(shellInput({ shell_kind: 'tv', locale: 'zh-CN', timezone: 'Asia/Shanghai' }, now)).toEqual({
    shell_kind: 'tv',
    locale: 'zh-CN',
    timezone: 'Asia/Shanghai',
    local_time: '2026-02-01 07:30',
  })
  expect(shellInput({ shell_version: '1', locale: 'no locale', timezone: 'Mars/Olympus' }, now)).toEqual({
    shell_version: '1',
  })
  const { send, host } = testEngine()
  const shell = { shell_kind: 'tv', timezone: 'Europe/Berlin', locale: '?' }
  await send(messageOf({ session_id: 's', user_intent: script({ text: 'x' }), shell }, { request_id: 'r' }))
  const session = await host.find({ tenant: 'default', agent: 'scripted', id: 's' })
  const prompt = (await session?.read(0, 100))?.find(({ type }) => type === 'prompt_queued')
  expect(prompt?.payload).toMatchObject({
    input: { openharness: { shell: { shell_kind: 'tv', timezone: 'Europe/Berlin', local_time: '2023-11-14 23:13' } } },
  })
})
