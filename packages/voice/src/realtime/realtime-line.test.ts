// Spoken turns through a realtime provider.
import { afterEach, describe, expect, test } from 'vitest'
import { eventually, silence, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'
import type { StubEvent } from './openai/realtime-stub.suite.ts'

const worlds: VoiceWorld[] = []
const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

/** The words of an item in the provider's conversation. */
const words = ({ content = [], name }: StubEvent) =>
  (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript).join('|') || name

describe('[V10] a spoken turn is a run', () => {
  test('[V11] three sessions at once, two spoken turns each, and a written one between them that is remembered', async () => {
    const conversations: string[][] = []
    const world = await start({
      plan: (n, _session, items) => {
        conversations.push(items.map(words))
        return { heard: `spoken ${n}`, says: `I heard you, turn ${n}.` }
      },
    })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { line } of lines) line.hear(voice(200))
    for (const { line } of lines) line.endTurn()
    await Promise.all(lines.map(({ key }) => world.rested(key, 2)))
    for (const { key } of lines) await world.write(key, `typed in ${key.id}`)
    await Promise.all(lines.map(({ key }) => world.rested(key, 4)))
    for (const { line } of lines) line.hear(voice(200))
    for (const { line } of lines) line.endTurn()
    await Promise.all(lines.map(({ key }) => world.rested(key, 6)))

    for (const { key, client } of lines) {
      expect(await world.talk(key)).toEqual([
        'user: spoken 0',
        'assistant: I heard you, turn 0.',
        `user: typed in ${key.id}`,
        'assistant: Written, not spoken.',
        'user: spoken 1',
        'assistant: I heard you, turn 1.',
      ])
      const spoken = (await world.messages(key)).map((message) => message.spoken)
      expect(spoken).toEqual([true, undefined, undefined, undefined, true, undefined])
      expect(client.faults).toEqual([])
      // Five words an answer, and 100 ms of audio for each.
      expect([new Set(client.heard.map(({ item }) => item)).size, client.bytes]).toEqual([2, 2 * 5 * 4800])
      expect(conversations).toContainEqual([
        'spoken 0',
        'I heard you, turn 0.',
        `typed in ${key.id}`,
        'Written, not spoken.',
        'spoken 1',
      ])
    }
    expect(world.stub.upgrades.map(({ url }) => url)).toEqual(Array(3).fill('/v1/realtime?model=gpt-realtime'))
  })

  test('a pause of 700 ms ends a turn, and a text on the line is answered aloud', async () => {
    const world = await start({ plan: (n) => ({ heard: 'hello there', says: `Answer ${n}.` }) })
    const { line, client, key } = await world.open('a', { turns: 'silence' })
    for (const piece of [silence(500), voice(300), silence(400), voice(100), silence(400), silence(300)])
      line.hear(piece)
    await world.rested(key, 2)
    await line.say('and in writing')
    await world.rested(key, 4)
    expect(await world.talk(key)).toEqual([
      'user: hello there',
      'assistant: Answer 0.',
      'user: and in writing',
      'assistant: Answer 1.',
    ])
    expect(client.speeches).toEqual(['started', 'stopped'])
    expect(new Set(client.heard.map(({ item }) => item)).size).toBe(2)
  })

  test('[V18] its tokens, those of audio at their own price, are the usage of the run', async () => {
    const world = await start({ plan: () => ({ heard: 'hello', says: 'Hi.' }) })
    const lines = await Promise.all(['a', 'b'].map((id) => world.open(id)))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { key } of lines) {
      await world.rested(key, 2)
      const usages = (await world.events(key)).flatMap((event) => (event.type === 'usage' ? [event.payload] : []))
      expect(usages).toHaveLength(2)
      // The second of audio that the other model wrote down.
      expect(usages.find(({ speech }) => speech)).toMatchObject({
        cost_usd: 0.003 / 60,
        speech: { kind: 'transcription', model: 'gpt-4o-mini-transcribe', audio_ms: 1000 },
      })
      const usage = usages.find(({ model }) => model) as { cost_usd: number }
      expect(usage).toMatchObject({ input_tokens: 20, output_tokens: 10, model: 'gpt-realtime' })
      // 5 tokens of text and 15 of audio heard, 2 of text and 8 of audio spoken.
      expect(usage.cost_usd).toBeCloseTo((5 * 4 + 15 * 32 + 2 * 16 + 8 * 64) / 1e6, 12)
    }
  })
})

describe('[V19] words that were said before a line closed', () => {
  test('become a prompt and are answered in writing, in three sessions', async () => {
    const world = await start({ plan: () => ({ heard: 'said before I left', says: 'Aloud.' }) })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
      line.close()
    }
    await Promise.all(lines.map(({ key }) => world.rested(key, 2)))
    for (const { key, client } of lines) {
      expect((await world.talk(key))[0]).toBe('user: said before I left')
      expect(client.heard).toEqual([])
    }
    await eventually(() => expect(world.stub.openCount()).toBe(0))
  })

  test('without their end are no prompt', async () => {
    const world = await start({ plan: () => ({ heard: 'half a', says: 'Aloud.' }) })
    const { line, key } = await world.open('a')
    line.hear(voice(200))
    line.close()
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    expect(await world.talk(key)).toEqual([])
  })
})
