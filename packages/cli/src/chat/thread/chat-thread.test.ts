import { stripVTControlCharacters } from 'node:util'
import type { HarnessMessage, HarnessState, HarnessToolCall } from '@bridle/client/index'
import { describe, expect, test } from 'vitest'
import type { Paint } from '../markdown/wrap.ts'
import { ChatThread } from './chat-thread.ts'
import { LinePrinter } from './line-printer.ts'

const paint: Paint = { style: (_format, text) => text, hasColour: false }

const prompt = (id: string, content: string, more: Partial<HarnessMessage> = {}): HarnessMessage => ({
  ...{ id, role: 'user', content, status: 'complete' },
  ...more,
})
const answer = (id: string, content: string, more: Partial<HarnessMessage> = {}): HarnessMessage => ({
  ...{ id, role: 'assistant', content, status: 'streaming', parts: [{ type: 'text', from: 0 }] },
  ...more,
})
const call = (id: string, more: Partial<HarnessToolCall> = {}): HarnessToolCall => ({
  id,
  name: 'bash',
  status: 'running',
  ...more,
})
const stateOf = (...messages: HarnessMessage[]): HarnessState => ({ status: 'running', messages })

const world = () => {
  const printer = new LinePrinter()
  const clock = { now: 0, showsThinking: false, deniedId: '' }
  const turns: (() => void)[] = []
  const thread = new ChatThread(
    {
      paint,
      now: () => clock.now,
      showsThinking: () => clock.showsThinking,
      isDenialShown: (id) => id === clock.deniedId,
      onTurnEnd: () => new Promise((resolve) => turns.push(resolve)),
      remarkOf: (id, isStopped) => (id === 's' ? (isStopped ? '· stopped' : '· steered') : undefined),
    },
    printer,
  )
  thread.update(stateOf(), 60)
  return {
    clock,
    turns,
    /** The lines that this state prints, and the rows that stay open. */
    show: (...messages: HarnessMessage[]) => {
      thread.update(stateOf(...messages), 60)
      return [printer.take(), thread.liveRows(stateOf(...messages), 60)].map((rows) =>
        rows.map(stripVTControlCharacters),
      )
    },
  }
}

test('[C280] a call whose denial is on the screen is not shown as denied again; a reason is', () => {
  const { clock, show } = world()
  const denied = (id: string, more: Partial<HarnessToolCall> = {}) =>
    call(id, { status: 'error', outcome: 'denied', approval: { id: `apr-${id}`, status: 'denied' }, ...more })
  const turn = (...toolCalls: HarnessToolCall[]) =>
    answer('m2', '', { toolCalls, parts: toolCalls.map(({ id }) => ({ type: 'tool', toolCallId: id })) })
  expect(show(turn(call('1')))).toEqual([[], ['● bash · 0 s']])
  clock.deniedId = 'apr-1'
  expect(show(turn(denied('1')))).toEqual([[], []])
  // Somebody joins a session whose approval was denied before.
  expect(show(turn(denied('1'), denied('2')))).toEqual([['✗ bash · denied'], []])
  clock.deniedId = 'apr-3'
  expect(show(turn(denied('1'), denied('2'), denied('3', { error: 'too dear' })))).toEqual([['  too dear'], []])
})

describe('a turn', () => {
  test('[C191] text is printed line by line, and the open line stays live', () => {
    const { show } = world()
    const ask = prompt('m1', 'Hi')
    expect(show({ ...ask, status: 'pending' })).toEqual([[], ['› Hi (queued)']])
    expect(show(ask, answer('m2', 'On'))).toEqual([['› Hi'], ['', 'On']])
    expect(show(ask, answer('m2', 'One\ntw'))).toEqual([['', 'One'], ['tw']])
    expect(show(ask, answer('m2', 'One\ntwo', { status: 'complete' }))).toEqual([['two'], []])
    expect(show(ask, answer('m2', 'One\ntwo', { status: 'complete' }))).toEqual([[], []])
  })

  test('[C193] tools in order, with arguments, outcome and time', () => {
    const { show, clock } = world()
    const parts: HarnessMessage['parts'] = [
      { type: 'text', from: 0 },
      { type: 'tool', toolCallId: 'a' },
      { type: 'tool', toolCallId: 'b' },
    ]
    const [one, two] = [
      call('a', { arguments: { command: 'ls -la' } }),
      call('b', { name: 'read', arguments: { x: 1 } }),
    ]
    expect(show(answer('m', 'Look', { parts, toolCalls: [one, two] }))).toEqual([
      ['Look'],
      ['', '● bash ls -la · 0 s', '● read {"x":1} · 0 s'],
    ])
    clock.now = 1_500
    const done = { ...two, status: 'error', outcome: 'timeout', error: 'Too slow.' } as const
    // The second is done first, and waits for the first.
    expect(show(answer('m', 'Look', { parts, toolCalls: [one, done] }))[0]).toEqual([])
    clock.now = 12_000
    const ended = { ...one, status: 'complete', outcome: 'ok', result: 'a\nb' } as const
    expect(show(answer('m', 'Look', { parts, toolCalls: [ended, done] }))).toEqual([
      ['', '✓ bash ls -la · 12 s', '  a b', '✗ read {"x":1} · timeout · 1.5 s', '  Too slow.'],
      [],
    ])
  })

  test('[C193] the time until an approval is answered is not the tool’s', () => {
    const { show, clock } = world()
    const turn = (more: Partial<HarnessToolCall>) =>
      answer('m', '', { parts: [{ type: 'tool', toolCallId: 'a' }], toolCalls: [call('a', more)] })
    expect(show(turn({}))[1]).toEqual(['● bash · 0 s'])
    const approval = { id: 'apr-1' }
    expect(show(turn({ approval: { ...approval, status: 'pending' } }))[1]).toEqual(['● bash · waits for approval'])
    clock.now = 67_000
    expect(show(turn({ approval: { ...approval, status: 'approved' } }))[1]).toEqual(['● bash · 0 s'])
    clock.now = 67_300
    expect(show(turn({ approval: { ...approval, status: 'approved' }, status: 'complete' }))[0]).toEqual([
      '✓ bash · 300 ms',
    ])
  })

  test('[C193] a call that was denied has no time', () => {
    const { show, clock } = world()
    const turn = (more: Partial<HarnessToolCall>) =>
      answer('m', '', { parts: [{ type: 'tool', toolCallId: 'a' }], toolCalls: [call('a', more)] })
    show(turn({ approval: { id: 'apr-1', status: 'pending' } }))
    clock.now = 67_000
    const denied = { id: 'apr-1', status: 'denied' } as const
    expect(show(turn({ approval: denied, status: 'error', outcome: 'denied' }))[0]).toEqual(['✗ bash · denied'])
  })

  test('[C193] of a path that is cut, the end stays: it names the file', () => {
    const parts: HarnessMessage['parts'] = [{ type: 'tool', toolCallId: 'a' }]
    const file_path = `/home/ada/app/.bridle/workspaces/${'6'.repeat(40)}/work/src/total.js`
    const toolCalls = [call('a', { name: 'Edit', arguments: { replace_all: false, file_path } })]
    expect(world().show(answer('m', '', { parts, toolCalls }))[1]).toEqual([
      `● Edit …${'6'.repeat(28)}/work/src/total.js · 0 s`,
    ])
  })

  test('[C193] a tool that runs on while text follows is printed twice: when it began, and when it ended', () => {
    const { show } = world()
    const parts: HarnessMessage['parts'] = [
      { type: 'tool', toolCallId: 'a' },
      { type: 'text', from: 0 },
    ]
    expect(show(answer('m', 'Meanwhile\n', { parts, toolCalls: [call('a')] }))[0]).toEqual([
      '● bash · runs',
      '',
      'Meanwhile',
    ])
    const ended = call('a', { status: 'complete' })
    expect(show(answer('m', 'Meanwhile\nmore', { parts, toolCalls: [ended] }))[0]).toEqual(['', '✓ bash · 0 s'])
    expect(show(answer('m', 'Meanwhile\nmore', { parts, toolCalls: [ended], status: 'complete' }))[0]).toEqual([
      '',
      'more',
    ])
  })

  test('[C193] thinking is a line, or all of it', () => {
    const { show, clock } = world()
    const parts: HarnessMessage['parts'] = [{ type: 'reasoning', text: `First ${'long '.repeat(20)}\nsecond` }]
    const [printed, open] = show(answer('m', '', { parts }))
    expect([printed, open?.length, open?.[0]?.endsWith('second')]).toEqual([[], 1, true])
    const said = [...parts, { type: 'text', from: 0 } as const]
    expect(show(answer('m', 'So', { parts: said }))[0]).toEqual([expect.stringMatching(/^✻ First long .*…$/)])
    clock.showsThinking = true
    const more = [...said, { type: 'reasoning', text: 'one\ntwo' } as const]
    expect(show(answer('m', 'So', { parts: more, status: 'complete' }))[0]).toEqual(['', 'So', '', '✻ one', '  two'])
  })

  test.each<[string, Partial<HarnessMessage>, string | undefined, string[]]>([
    ['stopped', { status: 'complete', stopReason: 'cancelled' }, undefined, ['✗ stopped']],
    [
      'cut off',
      { status: 'complete', stopReason: 'max_tokens' },
      undefined,
      ['✗ the answer is cut off: it reached the limit of the model'],
    ],
    ['a branch continues', { status: 'complete', stopReason: 'branched' }, undefined, ['· the branch begins here']],
    ['an import ends', { status: 'complete', stopReason: 'imported' }, undefined, ['· the imported session ends here']],
    ['failed', { status: 'error' }, 'It broke\u001b[2J.', ['✗ It broke␛[2J.']],
  ])('an answer that %s says so', (_name, more, error, expected) => {
    const printer = new LinePrinter()
    const options = {
      paint,
      now: () => 0,
      showsThinking: () => false,
      isDenialShown: () => false,
      onTurnEnd: async () => {},
      remarkOf: () => undefined,
    }
    const thread = new ChatThread(options, printer)
    thread.update({ status: 'error', messages: [answer('m', '', more)], ...(error !== undefined && { error }) }, 60)
    expect(printer.take()).toEqual(expected)
  })
})

test('[C192] text that was withdrawn before it was printed is gone; after it, a line says where the answer goes on', () => {
  const { show } = world()
  show(answer('m', 'Kept.\nopen text'))
  expect(show(answer('m', 'Kept.\nopen'))).toEqual([[], ['open']])
  expect(show(answer('m', 'Kept.\nopen and more\nnext\n'))[0]).toEqual(['open and more', 'next'])
  expect(show(answer('m', 'Kept.\nopen'))[0]).toEqual(['', '↺ The answer goes on after “Kept. open”:'])
  expect(show(answer('m', 'Kept.\nopen again\n'))[0]).toEqual(['', ' again'])
  expect(show(answer('m', ''))[0]).toEqual(['', '↺ The answer starts again:'])
  expect(show(answer('m', 'New.', { status: 'complete' }))[0]).toEqual(['', 'New.'])
})

test('[C199] a steering prompt waits for the end of the line that it would cut', () => {
  const { show } = world()
  const steer = prompt('s', 'Faster')
  expect(show(answer('m', 'Half a li'), steer)).toEqual([[], ['Half a li', '› Faster']])
  expect(show(answer('m', 'Half a line.\n'), steer)).toEqual([['Half a line.', '', '› Faster', '· steered'], []])
})

test('[C199] a steering prompt behind an answer that was stopped is not called steering', async () => {
  const { show, turns } = world()
  const steer = prompt('s', 'Faster')
  show(answer('m', 'Half a li'), steer)
  const stopped = answer('m', 'Half a li', { status: 'complete', stopReason: 'cancelled' })
  const [first = []] = show(stopped, steer)
  turns.shift()?.()
  await Promise.resolve()
  const [second = []] = show(stopped, steer)
  const printed = [...first, ...second].filter((line) => line !== '')
  expect(printed).toEqual(['Half a li', '✗ stopped', '› Faster', '· stopped'])
})

test('[C195] the next turn is shown when the cost of the last one is printed', async () => {
  const { show, turns } = world()
  const both = [
    answer('a', 'One.', { status: 'complete' }),
    prompt('p', 'Next'),
    answer('b', 'Two.', { status: 'complete' }),
  ]
  expect(show(...both)[0]).toEqual(['One.'])
  expect(show(...both)[0]).toEqual([])
  turns[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  await Promise.resolve()
  expect(show(...both)[0]).toEqual(['', '› Next', '', 'Two.'])
})

test('[C190] an earlier conversation shows its end, and says how much is above', () => {
  const printer = new LinePrinter()
  const thread = new ChatThread(
    {
      ...{ paint, now: () => 0, showsThinking: () => false, isDenialShown: () => false },
      ...{ onTurnEnd: async () => {}, remarkOf: () => undefined },
    },
    printer,
  )
  const messages = Array.from({ length: 20 }, (_, at) => prompt(`m${at}`, `number ${at}`))
  thread.update({ status: 'idle', messages }, 60)
  const lines = printer.take()
  expect(lines.slice(0, 3)).toEqual(['… 8 earlier messages; /open shows them', '', '› number 8'])
  expect(lines.at(-1)).toBe('› number 19')
})

test('a prompt that left the queue says so; a pasted file shows its beginning', () => {
  const { show } = world()
  expect(show(prompt('a', 'Never', { stopReason: 'cancelled' }))[0]).toEqual([
    '› Never',
    '  taken out of the queue; not run',
  ])
  const lines = show(prompt('b', Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n')))[0] ?? []
  expect([lines.length, lines.at(-1)]).toEqual([18, '  … 24 more lines'])
})
