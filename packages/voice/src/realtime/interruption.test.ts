// A listener interrupts: what the log says was said is what was heard.
import { afterEach, describe, expect, test } from 'vitest'
import { wordEnd } from '../spoken/heard-answers.ts'
import { eventually, TestClient, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'
import { SpokenAnswer } from './spoken-answer.ts'

const worlds: VoiceWorld[] = []
const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

/** Ten words, with 100 ms of audio each. */
const TEN = 'one two three four five six seven eight nine ten'

/** A client that plays in real time, and has played so much when it is stopped. */
const slowClient = (playedMs: number | null) => {
  const client = new TestClient()
  client.isFast = false
  client.onInterrupted = (item) => {
    if (playedMs !== null) client.report?.(item, playedMs, true)
  }
  return client
}

describe('[V12] an answer that is interrupted keeps what was heard', () => {
  test.each<[string, boolean]>([
    ['the run has ended, and its audio still plays', true],
    ['the run is at work', false],
  ])('%s', async (_name, hasEnded) => {
    const never = new Promise<void>(() => {})
    const count = { heard: 'count', says: TEN, ...(!hasEnded && { pause: { after: 1, until: never } }) }
    const world = await start({ plan: (n) => (n === 0 ? count : { heard: 'stop', says: 'Done.' }) })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id, {}, slowClient(450))))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    const wanted = hasEnded ? 10 : 1
    for (const { key, client } of lines) {
      await eventually(() => expect(client.heard.length).toBeGreaterThanOrEqual(wanted))
      if (hasEnded) await world.rested(key, 2)
    }
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { key, client } of lines) {
      await world.rested(key, 4)
      const heard = hasEnded ? 'one two three four' : 'one'
      const talk = await world.talk(key)
      expect(talk.map((each) => each.trim())).toEqual([
        'user: count',
        `assistant: ${heard}`,
        'user: stop',
        'assistant: Done.',
      ])
      expect((await world.messages(key))[1]?.stopReason).toBe('interrupted')
      expect(client.interruptions).toHaveLength(1)
    }
    // The tokens of an answer that the loop did not wait for count all the same.
    for (const { key } of lines)
      await eventually(async () =>
        expect(
          (await world.events(key)).filter(({ type, payload }) => type === 'usage' && 'model' in payload),
        ).toHaveLength(2),
      )
    const truncations = world.stub.events('conversation.item.truncate')
    expect(truncations.map(({ audio_end_ms }) => audio_end_ms)).toEqual(Array(3).fill(hasEnded ? 450 : 100))
    // The provider has the same part, and gets nothing of the answer again.
    expect(world.stub.events('conversation.item.create').map(({ item }) => item.role)).toEqual(Array(3).fill('system'))
  })

  test('cancel_response, with a client that reports nothing: time tells how much was heard', async () => {
    const world = await start({ plan: () => ({ heard: 'count', says: TEN }) })
    const { line, key } = await world.open('a', {}, slowClient(null))
    line.hear(voice(200))
    line.endTurn()
    await world.rested(key, 2)
    await line.interrupt()
    const [, answer] = await world.messages(key)
    expect(TEN.startsWith(answer?.content ?? '?')).toBe(true)
    expect([answer?.content === TEN, answer?.stopReason]).toEqual([false, 'interrupted'])
    await line.interrupt()
    expect(await world.messages(key)).toHaveLength(2)
  })

  test.each<[string, boolean]>([
    ['the report of its stop counts, not one that was on its way', true],
    ['a client that does not say that it stopped: the last report counts', false],
  ])('%s', async (_name, saysStopped) => {
    const world = await start({ plan: () => ({ heard: 'count', says: TEN }) })
    const client = slowClient(null)
    client.onInterrupted = (item) => {
      client.report?.(item, 310)
      client.report?.(item, 520, saysStopped)
    }
    const { line, key } = await world.open('a', {}, client)
    line.hear(voice(200))
    line.endTurn()
    await world.rested(key, 2)
    await line.interrupt()
    expect((await world.messages(key))[1]?.content).toBe('one two three four five')
    await eventually(() =>
      expect(world.stub.events('conversation.item.truncate')).toMatchObject([{ audio_end_ms: 520 }]),
    )
  })

  test('cancel_response before the answer begins cancels its run', async () => {
    const world = await start({ plan: () => ({ heard: 'count', says: TEN, chunkMs: 5000 }) })
    const { line, key } = await world.open('a')
    await line.say('count')
    await line.interrupt()
    await world.rested(key, 1)
    expect((await world.events(key)).map(({ type }) => type)).toContain('cancel_requested')
  })
})

describe('the part that was heard', () => {
  const answer = () => {
    const spoken = new SpokenAnswer('r', 'pcm16')
    const item = spoken.addItem('i', 0)
    for (const word of ['one ', 'two ', 'three ', 'four']) {
      item.text += word
      spoken.addAudio(item, 4800, 1000)
    }
    item.isComplete = true
    return { spoken, item }
  }

  test.each<[number, string]>([
    [0, ''],
    [70, ''],
    [100, 'one'],
    [250, 'one two'],
    [399, 'one two three'],
    [400, 'one two three four'],
    [9000, 'one two three four'],
  ])('after %d ms: %s', (ms, text) => {
    const { spoken, item } = answer()
    item.stoppedMs = ms
    expect(item.text.slice(0, spoken.heard(1000).chars)).toBe(text)
  })

  test('text that comes ahead of its audio was not heard with it', () => {
    const spoken = new SpokenAnswer('r', 'pcm16')
    const item = spoken.addItem('i', 5)
    item.text = 'one two three four'
    for (const _piece of [1, 2, 3, 4]) spoken.addAudio(item, 4800, 1000)
    expect(spoken.heard(1250)).toMatchObject({ chars: 5 + 'one two'.length, audioMs: 250 })
  })

  test.each<[string, number, number]>([
    ['one two', 7, 7],
    ['one two', 6, 3],
    ['one two', 4, 3],
    ['one two', 3, 3],
    ['one', 2, 0],
  ])('%s, %d characters', (text, chars, end) => expect(wordEnd(text, chars)).toBe(end))
})
