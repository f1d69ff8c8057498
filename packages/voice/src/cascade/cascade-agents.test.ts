// Agents that wait, fail, or write what nobody can say; and the cost of speech.

import { key } from '@bridle/kernel/host/host.suite'
import { describe, expect, test } from 'vitest'
import { cascadeWorld, script } from './cascade-world.suite.ts'
import { speech } from './services/speech-stub.suite.ts'

/** A world whose speakers all say this. */
const saying = (prompt: string) => {
  const world = cascadeWorld()
  world.stub.transcript = () => prompt
  return world
}

describe('[V70] an answer that waits for an approval', () => {
  const prompt = script(
    { text: 'Let me look. I will ' },
    { approve: 'send_mail', reason: 'Mail goes *outside*.' },
    { text: 'Sent.' },
  )

  test('says so once, and is spoken on after an approval from any wire', async () => {
    const world = saying(prompt)
    const opened = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { speak } of opened) await speak()
    await world.pass(60_000)
    // The session goes on while the call waits: that is no reason to say it again.
    for (const id of ['a', 'b', 'c']) await world.host.send(key(id), { type: 'submit', prompt: 'And then?' })
    await world.pass(10_000)
    const question = 'I need an approval for send mail before I go on. Mail goes outside.'
    expect(world.stub.words.filter((words) => words === question)).toHaveLength(3)
    for (const [index, { session, client }] of opened.entries()) {
      const [approval] = Object.values(session.state.approvals.open)
      const decision = index === 1 ? 'denied' : 'approved'
      await world.host.send(key('abc'[index]), { type: 'approve', approvalId: approval?.id ?? '', decision })
      await world.pass(10_000)
      // The answer, the notice, and the rest of the answer are items of their own.
      expect(client.items).toHaveLength(3)
      expect(session.state.conversation.messages[1]?.content).toBe('Let me look. I will Sent.')
    }
    expect(world.stub.words.filter((words) => words === question)).toHaveLength(3)
    expect(world.stub.words.filter((words) => words === 'Sent.')).toHaveLength(3)
  })

  test('[V113] reads the beginning of the call, says how much is left, and takes no yes', async () => {
    const args = [{ to: 'ann', text: '*Hi* <b>' }, { text: `Hi${'\n'.repeat(80)} ${'x'.repeat(300)} and all` }, {}]
    const world = saying('')
    const opened = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const [index, { speak }] of opened.entries()) {
      world.stub.transcript = () => script({ approve: 'send_mail', args: args[index] as object }, { text: 'Sent.' })
      await speak()
    }
    await world.pass(60_000)
    world.stub.transcript = () => 'Yes, I approve it.'
    for (const { speak } of opened) await speak()
    await world.pass(10_000)
    expect(world.stub.words.filter((words) => words.startsWith('I need an approval'))).toHaveLength(3)
    expect(world.stub.words).toContain('to: ann, text: *Hi* <b>')
    expect(world.stub.words).toContain(`text: Hi ${'x'.repeat(191)}`)
    expect(world.stub.words.filter((words) => words.includes('characters are left'))).toEqual([
      '117 more characters are left. Read the whole call on a screen before you approve it.',
    ])
    for (const { session } of opened) expect(Object.keys(session.state.approvals.open)).toHaveLength(1)
    expect(world.stub.words).not.toContain('Sent.')
  })

  test('does not end where its listener speaks over the notice', async () => {
    const world = saying(prompt)
    const { speak, client, session, messages } = await world.open('a')
    await speak()
    // The two parts of the answer take 950 ms, and the notice more.
    await world.pass(1_500)
    world.stub.transcript = () => script({ text: 'Later.' })
    await speak()
    await world.pass(1_000)
    expect(client.stopped).toEqual([client.items[1]?.item])
    expect(Object.keys(session.state.approvals.open)).toHaveLength(1)
    expect(messages().map(([role, , reason]) => [role, reason])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['user', undefined],
    ])
  })
})

describe('[V71] an agent that fails', () => {
  test('is heard to fail, and the next turn is answered', async () => {
    const world = saying(script({ text: 'I begin. ' }, { fail: 'The disk is full.' }))
    const { speak, client, session } = await world.open('a')
    await speak()
    await world.pass(20_000)
    expect(world.stub.words).toEqual(['I begin.', 'Something went wrong, and I could not finish.'])
    expect(session.state.conversation.error).toBe('The disk is full.')
    world.stub.transcript = () => script({ text: 'Better.' })
    await speak()
    expect(world.stub.words.at(-1)).toBe('Better.')
    expect(client.faults).toEqual([])
  })
})

test('[V64] an engine that reports its answer as a whole is spoken in sentences too', async () => {
  const world = saying(script({ event: { type: 'response', payload: { text: 'All at once. As one.' } } }))
  const { speak } = await world.open('a')
  await speak()
  await world.pass(10)
  expect(world.stub.words).toEqual(['All at once.', 'As one.'])
})

test('[V65] Markdown is spoken as words, and a block counts as heard when its notice was heard', async () => {
  const text = '## Plan\n\nUse **this**:\n\n```py\nprint("x")\n```\n\nThen run `it`.'
  const world = saying(script({ text, chunks: 20 }))
  const [a, b] = [await world.open('a'), await world.open('b')]
  for (const { speak } of [a, b]) await speak()
  expect(world.stub.words.slice(0, 4)).toEqual([
    'Plan',
    'Use this:',
    'There is a block of Python code.',
    'Then run it.',
  ])
  // Characters that are heard: within the notice, and after it.
  for (const [{ client, line, session }, chars, heard] of [
    [a, 4 + 9 + 20, '## Plan\n\nUse **this**:\n\n'],
    [b, 4 + 9 + 32 + 5, text.slice(0, text.indexOf(' run'))],
  ] as const) {
    client.onInterrupted = (item) => line.played(item, chars * 50, true)
    await line.interrupt()
    expect(session.state.conversation.messages[1]?.content).toBe(heard)
  }
})

describe('[V72] speech', () => {
  test('is paid by its session: what was heard, and what was spoken, once for each', async () => {
    const world = saying(script({ text: 'Ten chars. And ten more.' }))
    const { speak, session } = await world.open('a')
    await speak()
    await world.pass(5_000)
    expect(await world.eventsOf('a', 'usage')).toEqual([
      {
        cost_usd: (1_300 / 60_000) * 0.006,
        estimated: true,
        speech: { kind: 'transcription', model: 'whisper-1', audio_ms: 1_300, characters: 45 },
      },
      {
        cost_usd: (23 * 15) / 1_000_000,
        estimated: true,
        speech: { kind: 'synthesis', model: 'tts-1', audio_ms: 1_150, characters: 23 },
      },
    ])
    expect(session.state.health.costUsd).toBeCloseTo((1_300 / 60_000) * 0.006 + (23 * 15) / 1_000_000, 10)
  })

  test('that was made before its line closed is paid as well', async () => {
    const world = saying(script({ text: 'One. ' }, { sleepMs: 60_000 }))
    const { speak, line } = await world.open('a')
    world.stub.speechReplies.push(() => speech(400))
    await speak()
    line.close()
    await world.settle()
    expect((await world.eventsOf('a', 'usage')).at(-1)).toMatchObject({ speech: { audio_ms: 400, characters: 4 } })
  })
})
