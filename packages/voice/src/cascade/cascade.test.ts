// Conversations through the cascade: turns, answers, interruptions.

import { key } from '@bridle/kernel/host/host.suite'
import { describe, expect, test } from 'vitest'
import { bytesOf, silence, voice } from '../audio/sounds.suite.ts'
import { cascadeWorld, script } from './cascade-world.suite.ts'
import { STUB_MS_PER_CHAR } from './services/speech-stub.suite.ts'

/** Sessions whose speakers say different scripts: the level of a voice names the script. */
const withScripts = (scripts: { readonly [level: number]: string }) => {
  const world = cascadeWorld()
  world.stub.transcript = ({ peak }) => scripts[Math.round(peak / Math.SQRT2 / 1_000)] ?? '(unknown)'
  return world
}

describe('[V67] a spoken turn', () => {
  test('is a prompt in the log and an answer that is spoken sentence by sentence, in three sessions at once', async () => {
    const world = withScripts({
      2: script({ text: 'First of two. Second of two.' }),
      3: script({ text: 'Three is here. And stays.', chunks: 9 }),
      4: script({ thinking: 'hm' }, { text: 'Only one', chunks: 4, everyMs: 30 }),
      5: script({ text: 'Again.' }),
    })
    const sessions = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    await Promise.all(sessions.map(({ speak }, index) => speak((index + 2) * 1_000)))
    await world.pass(5_000)
    await Promise.all(sessions.map(({ speak }) => speak(5_000)))
    await world.pass(5_000)
    const texts = ['First of two. Second of two.', 'Three is here. And stays.', 'Only one']
    for (const [index, { messages, client }] of sessions.entries()) {
      expect(messages().map(([role, content]) => (role === 'user' ? 'user' : content))).toEqual([
        ...['user', texts[index], 'user', 'Again.'],
      ])
      expect(client.items.map(({ ms }) => Math.round(ms))).toEqual([
        spokenMs(texts[index] as string),
        spokenMs('Again.'),
      ])
      expect(client.states).toEqual(['started', 'stopped', 'started', 'stopped'])
      expect(client.faults).toEqual([])
    }
    expect(world.stub.words.toSorted()).toEqual([
      'Again.',
      'Again.',
      'Again.',
      'And stays.',
      'First of two.',
      'Only one',
      'Second of two.',
      'Three is here.',
    ])
    expect((await world.eventsOf('a', 'prompt_queued')).map((each) => (each as { spoken?: true }).spoken)).toEqual([
      true,
      true,
    ])
    for (const id of ['a', 'b', 'c']) await world.numbersAreDense(id)
  })

  test('by hand ends where the client says so, and text is answered aloud as well', async () => {
    const world = withScripts({ 6: script({ text: 'Heard you.' }) })
    const { line, client, messages } = await world.open('a', { turns: 'manual', voice: 'nova' })
    await line.hear(bytesOf(voice(400), silence(900), voice(400)))
    await world.settle()
    expect(world.stub.heard).toEqual([])
    line.endTurn()
    line.endTurn()
    await world.pass(3_000)
    await line.say(script({ text: 'Read you.' }))
    await world.settle()
    expect(messages().map(([, content]) => content)).toEqual([
      ...[script({ text: 'Heard you.' }), 'Heard you.', script({ text: 'Read you.' }), 'Read you.'],
    ])
    expect(world.stub.spoken.map(({ input, voice, model }) => [input, voice, model])).toEqual([
      ['Heard you.', 'nova', 'tts-1'],
      ['Read you.', 'nova', 'tts-1'],
    ])
    expect(world.stub.heard).toEqual([
      { ms: 1_700, sampleRate: 24_000, peak: 8_485, model: 'whisper-1', key: 'Bearer stt-key' },
    ])
    expect(client.faults).toEqual([])
  })

  test('on a telephone is heard and spoken in its format', async () => {
    const world = withScripts({ 6: script({ text: 'Heard you.' }) })
    const { line, client } = await world.open('a', { turns: 'manual', format: 'g711_ulaw' })
    // 0x9f decodes to a few thousand.
    await line.hear(new Uint8Array(8 * 500).fill(0x9f))
    line.endTurn()
    await world.settle()
    expect(world.stub.heard).toMatchObject([{ ms: 500, sampleRate: 8_000 }])
    world.stub.transcript = () => script({ text: 'Heard you.' })
    await line.hear(new Uint8Array(8 * 500).fill(0x9f))
    line.endTurn()
    await world.pass(20_000)
    expect(world.stub.words).toContain('Heard you.')
    expect(client.bytes % 8).toBe(0)
  })

  test.each([
    ['too short', [voice(50)]],
    ['silent', [silence(2_000)]],
  ])('by hand that is %s is no prompt, and one fault', async (_name, sounds) => {
    const world = cascadeWorld()
    const { line, client, messages } = await world.open('a', { turns: 'manual' })
    await line.hear(bytesOf(...sounds))
    line.endTurn()
    await world.settle()
    expect(client.codes).toEqual(['speech_not_understood'])
    expect([world.stub.heard, messages()]).toEqual([[], []])
  })

  test('that nobody understands is no prompt, and one fault', async () => {
    const world = cascadeWorld()
    world.stub.transcript = () => '  '
    const { speak, client, messages } = await world.open('a')
    await speak()
    expect([client.codes, messages()]).toEqual([['speech_not_understood'], []])
  })

  test('[V69] waits behind a run that works without a word', async () => {
    const world = withScripts({
      2: script({ tool: 'search', ms: 60_000 }, { text: 'Found it.' }),
      3: script({ text: 'And then?' }),
    })
    const { speak, messages } = await world.open('a')
    await speak(2_000)
    await world.pass(1_000)
    await speak(3_000)
    expect(messages().map(([, , reason]) => reason)).toEqual([undefined, undefined, undefined])
    await world.pass(70_000)
    expect(messages().map(([role, content]) => (role === 'user' ? role : content))).toEqual([
      ...['user', 'Found it.', 'user', 'And then?'],
    ])
    expect(world.stub.words).toEqual(['Found it.', 'And then?'])
  })
})

describe('[V74] an agent that writes faster than speech', () => {
  test('is spoken at most some seconds ahead of its listener', async () => {
    const sentence = 'This sentence has sixty characters, which take three seconds. '
    const world = withScripts({ 2: script({ text: sentence.repeat(20) }) })
    const { speak, client, session } = await world.open('a')
    await speak(2_000)
    expect(session.state.lifecycle.run).toBe(null)
    const early = world.stub.words.length
    expect(early).toBeLessThan(6)
    await world.pass(9_000)
    expect(world.stub.words.length).toBeGreaterThan(early)
    await world.pass(60_000)
    expect(world.stub.words.length).toBe(20)
    expect(client.items.map(({ ms }) => Math.round(ms))).toEqual([20 * spokenMs(sentence.trim())])
  })
})

describe('[V68] an interruption', () => {
  const answer = 'One two three four five six. Seven eight nine ten eleven twelve. Thirteen.'

  const twoTurns = async () => {
    const world = withScripts({
      2: script({ text: 'Before.' }),
      3: script({ text: answer }),
      4: script({ text: 'After.' }),
    })
    const opened = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { speak } of opened) await speak(2_000)
    await world.pass(2_000)
    for (const { speak } of opened) await speak(3_000)
    return { world, opened }
  }

  test('in the middle of the second turn keeps what the client reports, though the run has ended', async () => {
    const { world, opened } = await twoTurns()
    const [a, b] = opened as [(typeof opened)[0], (typeof opened)[0]]
    expect(a.session.state.lifecycle.run).toBe(null)
    // The first sentence, and half of the second.
    const heardMs = (28 + 18) * STUB_MS_PER_CHAR
    a.client.onInterrupted = (item) => {
      // A report that was on its way says too little.
      a.line.played(item, 28 * STUB_MS_PER_CHAR)
      a.line.played(item, heardMs, true)
    }
    await a.speak(4_000)
    await world.pass(1_000)
    expect(a.messages().slice(2)).toEqual([
      ['user', script({ text: answer })],
      ['assistant', 'One two three four five six. Seven eight nine', 'interrupted'],
      ['user', script({ text: 'After.' })],
      ['assistant', 'After.'],
    ])
    expect(await world.eventsOf('a', 'output_superseded')).toMatchObject([{ interrupted: { audio_ms: heardMs } }])
    expect(a.client.stopped).toEqual([a.client.items[1]?.item])
    await world.pass(9_000)
    expect(b.messages()[3]).toEqual(['assistant', answer])
    expect(b.client.stopped).toEqual([])
  })

  test('counts audio as played in real time where the client does not report', async () => {
    const { world, opened } = await twoTurns()
    const [a] = opened as [(typeof opened)[0]]
    await world.pass(1_000)
    await a.speak(4_000)
    expect(a.messages()).toHaveLength(4)
    await world.pass(600)
    // A second, of 50 ms for each character.
    expect(a.messages()[3]).toEqual(['assistant', 'One two three four', 'interrupted'])
    expect(a.messages().at(-1)).toEqual(['assistant', 'After.'])
  })

  test('of a run in progress ends the run, and what was not spoken is withdrawn', async () => {
    const world = withScripts({ 2: script({ text: answer, chunks: 74, everyMs: 100 }), 4: script({ text: 'After.' }) })
    const { speak, messages, client, session } = await world.open('a')
    await speak(2_000)
    await world.pass(4_000)
    expect(session.state.lifecycle.run).not.toBe(null)
    await speak(4_000)
    await world.pass(1_000)
    const [, [, heard, reason] = []] = messages()
    expect(reason).toBe('interrupted')
    expect(answer.startsWith(heard as string)).toBe(true)
    expect([heard?.length, client.stopped.length]).toEqual([23, 1])
    expect(messages().at(-1)).toEqual(['assistant', 'After.'])
  })

  test('by a text, by a cancel, and by somebody who cancels the run elsewhere', async () => {
    const world = withScripts({ 2: script({ text: answer, chunks: 74, everyMs: 100 }) })
    const opened = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { speak } of opened) await speak(2_000)
    await world.pass(4_000)
    const [a, b, c] = opened as [(typeof opened)[0], (typeof opened)[0], (typeof opened)[0]]
    const said = a.line.say(script({ text: 'Now.' }))
    const cancelled = b.line.interrupt()
    await world.host.send(key('c'), { type: 'cancel' })
    await world.pass(1_000)
    await Promise.all([said, cancelled])
    for (const { messages, client } of [a, b, c]) {
      expect(messages()[1]).toEqual(['assistant', 'One two three four five', 'interrupted'])
      expect(client.stopped).toHaveLength(1)
    }
    expect(a.messages().at(-1)).toEqual(['assistant', 'Now.'])
  })

  test('of a prompt that waits, by somebody else, leaves the answer that is heard alone', async () => {
    const world = withScripts({ 2: script({ tool: 'search', ms: 5_000 }, { text: answer }, { sleepMs: 9_000 }) })
    const { speak, client, session, messages } = await world.open('a')
    await speak(2_000)
    await world.pass(1_000)
    await speak(2_000)
    await world.pass(5_000)
    const [waiting] = session.state.lifecycle.queue
    await world.host.send(key('a'), { type: 'cancel', runId: waiting?.runId ?? '' })
    await world.pass(9_000)
    expect([client.stopped, messages()[1]]).toEqual([[], ['assistant', answer]])
    expect(world.stub.words).toHaveLength(3)
  })

  test('[V69] by a cancel ends a run that works without a word', async () => {
    const world = withScripts({ 2: script({ tool: 'search', ms: 60_000 }, { text: 'Found it.' }) })
    const { speak, line, session, messages } = await world.open('a')
    await speak(2_000)
    await line.interrupt()
    await world.pass(10)
    expect(session.state.lifecycle.run).toBe(null)
    expect(messages()[1]).toEqual(['assistant', '', 'interrupted'])
    await line.interrupt()
  })
})

describe('[V73] a line that is closed', () => {
  test('still submits the words that were said before', async () => {
    const world = withScripts({ 2: script({ text: 'Done.' }) })
    const { line, client, messages } = await world.open('a')
    void line.hear(bytesOf(voice(600, 2_000), silence(800)))
    line.close()
    line.close()
    await world.pass(100)
    expect(messages()).toEqual([
      ['user', script({ text: 'Done.' })],
      ['assistant', 'Done.'],
    ])
    expect([world.stub.words, client.items, client.faults]).toEqual([[], [], []])
  })

  test('and opened again in the middle of an answer speaks the rest of it', async () => {
    const world = withScripts({ 2: script({ text: 'One. ' }, { sleepMs: 5_000 }, { text: 'Two.' }) })
    const first = await world.open('a')
    await first.speak(2_000)
    await world.pass(1_000)
    first.line.close()
    const second = await world.open('a')
    await world.pass(5_000)
    expect(world.stub.words).toEqual(['One.', 'Two.'])
    expect([first, second].map(({ client }) => client.items.length)).toEqual([1, 1])
  })

  test('by the end of its session says so', async () => {
    const world = withScripts({ 2: script({ text: 'One.' }) })
    const { speak, client } = await world.open('a')
    await speak(2_000)
    await world.host.remove(key('a'))
    await world.settle()
    expect(client.faults).toMatchObject([{ code: 'session_not_found', isFinal: true }])
  })
})

const spokenMs = (text: string): number =>
  text.split(/(?<=[.?]) /).reduce((sum, sentence) => sum + sentence.length * STUB_MS_PER_CHAR, 0)
