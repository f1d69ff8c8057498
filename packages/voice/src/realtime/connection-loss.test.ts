// A provider that drops in the middle of an answer: the words that were sent are in the log and in the ear once.

import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connectProvider } from '../node/provider-socket.ts'
import { eventually, KEY, TestClient, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'
import { openai } from './openai/openai.ts'
import type { StubEvent } from './openai/realtime-stub.suite.ts'
import { type ConnectProvider, ProviderRefusal } from './provider-socket.ts'

const worlds: VoiceWorld[] = []
const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

const TEN = 'one two three four five six seven eight nine ten'
const words = ({ content = [] }: StubEvent): string =>
  (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript).join('|')
/** The words that a model says which goes on behind its last message, or answers from the beginning. */
const rest = (items: readonly StubEvent[]): string => {
  const said = items.at(-1)?.role === 'system' ? words(items.at(-2) ?? {}).trim() : ''
  return TEN.slice(said.length).trim()
}
const speak = ({ line }: { readonly line: { hear(audio: Uint8Array): unknown; endTurn(): void } }) => {
  line.hear(voice(200))
  line.endTurn()
}

describe('[V47] a provider that drops in the middle of an answer', () => {
  test('goes on behind the words that were sent, in three sessions that break twice', async () => {
    const breaks = new Map<string, number>()
    const conversations: string[][] = []
    const world = await start({
      plan: (_n, session, items) => {
        const name = String(session.instructions).slice(-1)
        const count = breaks.get(name) ?? 0
        const isAnswer = words(items.at(-1) ?? {}) !== ''
        if (isAnswer && count < 2) breaks.set(name, count + 1)
        if (isAnswer && count === 2) conversations.push(items.map(words))
        return { heard: 'count', says: rest(items), ...(isAnswer && count < 2 && { dropsAfter: 2 + count }) }
      },
    })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id, { instructions: `I am ${id}` })))
    for (const each of lines) speak(each)
    for (const { key, client } of lines) {
      await world.rested(key, 2)
      expect(await world.talk(key)).toEqual(['user: count', `assistant: ${TEN}`])
      expect((await world.messages(key))[1]?.stopReason).not.toBe('interrupted')
      // Ten words, and 100 ms of audio for each.
      expect([client.bytes, client.interruptions, client.faults]).toEqual([10 * 4800, [], []])
      expect(new Set(client.heard.map(({ item }) => item)).size).toBe(3)
    }
    for (const each of lines) speak(each)
    for (const { key } of lines) {
      await world.rested(key, 4)
      expect((await world.talk(key)).at(-1)).toBe(`assistant: ${TEN}`)
    }
    expect(world.stub.upgrades).toHaveLength(9)
    // In the end the provider has the answer once, and no remark about the breaks.
    const last = conversations.slice(-3).map((texts) => texts.map((text) => text.trim()).join(' '))
    expect(last).toEqual(Array(3).fill(`count ${TEN} count`))
  })

  test('words whose audio has not come are said, and logged, by the next connection', async () => {
    const stub = await start({ plan: (_n, _session, items) => ({ heard: 'count', says: rest(items) }) })
    let breaks = 0
    const connect: ConnectProvider = (address, events) => {
      let isOver = false
      const message = (text: string) => {
        if (isOver) return
        events.message(text)
        isOver = breaks === 0 && text.includes('output_audio_transcript.delta') && text.includes('three')
        if (!isOver) return
        breaks += 1
        events.closed()
      }
      return connectProvider(address, { message, closed: () => isOver || events.closed() })
    }
    const world = await start({ ports: { realtime: { provider: openai, url: stub.stub.url, key: KEY, connect } } })
    const opened = await world.open('a')
    speak(opened)
    await world.rested(opened.key, 2)
    expect([breaks, await world.talk(opened.key)]).toEqual([1, ['user: count', `assistant: ${TEN}`]])
    expect([opened.client.bytes, opened.client.faults]).toEqual([10 * 4800, []])
  })

  test('and drops again with each word is given up after the third time', async () => {
    const world = await start({
      plan: (_n, _session, items) => ({ heard: 'count', says: rest(items), dropsAfter: 1 }),
    })
    const opened = await world.open('a')
    speak(opened)
    await eventually(() => expect(opened.client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }]))
    await world.rested(opened.key, 2)
    const [, answer] = await world.messages(opened.key)
    expect([answer?.content.trim(), answer?.stopReason]).toEqual(['one two three four', 'interrupted'])
    expect(world.stub.upgrades).toHaveLength(4)
  })

  test('an interruption behind the break cuts at what was heard of both parts', async () => {
    const world = await start({
      plan: (_n, _session, items) => ({
        ...{ heard: 'count', says: rest(items) },
        ...(rest(items) === TEN && items.length < 3 && { dropsAfter: 4 }),
      }),
    })
    const client = new TestClient()
    client.isFast = false
    client.onInterrupted = (item) => {
      const [first] = client.heard
      client.report?.(item, item === first?.item ? 400 : 250, true)
    }
    const { line, key } = await world.open('a', {}, client)
    speak({ line })
    await world.rested(key, 2)
    const [first] = client.heard
    client.report?.(first?.item ?? '', 400)
    await line.interrupt()
    const [, answer] = await world.messages(key)
    expect([answer?.content, answer?.stopReason]).toEqual(['one two three four five six', 'interrupted'])
  })

  test('calls that it has made are run, and the answer follows from their results', async () => {
    const light = vi.fn(async () => 'on')
    const talker = agent({
      name: 'talker',
      model: scriptedModel(() => ({ text: 'Written, not spoken.' })),
      tools: [tool({ name: 'light', description: 'Switches the light.', run: light })],
    })
    const world = await start({
      agents: [talker],
      plan: (_n, _session, items) =>
        items.some(({ type }) => type === 'function_call_output')
          ? { says: 'It is on.' }
          : { heard: 'light', says: 'One moment. ', call: { name: 'light' }, dropsAtEnd: true },
    })
    const opened = await world.open('a')
    speak(opened)
    await world.rested(opened.key, 2)
    expect(await world.talk(opened.key)).toEqual(['user: light', 'assistant: One moment. It is on.'])
    expect([light.mock.calls.length, opened.client.interruptions]).toEqual([1, []])
  })
})

describe('[V47] a provider that does not come back', () => {
  const lostAfter = (count: number) => {
    let connections = 0
    const connect: ConnectProvider = (address, events) => {
      connections += 1
      return connections > count && connections <= count + 3
        ? Promise.reject(new ProviderRefusal(null))
        : connectProvider(address, events)
    }
    return connect
  }

  test('leaves in the log what was sent, the client knows why, and the next turn is answered', async () => {
    const connect = lostAfter(1)
    const url = { url: '' }
    const world = await start({
      plan: (n, _session, items) => ({
        ...{ heard: `turn ${items.length}`, says: n === 0 && items.length < 2 ? TEN : 'Here again.' },
        ...(items.length < 2 && { dropsAfter: 3 }),
      }),
      ports: {
        realtime: {
          get url() {
            return url.url
          },
          ...{ provider: openai, key: KEY, connect },
        },
      },
    })
    url.url = world.stub.url
    const opened = await world.open('a')
    speak(opened)
    await eventually(() => expect(opened.client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }]))
    await world.rested(opened.key, 2)
    const [, answer] = await world.messages(opened.key)
    expect([answer?.content.trim(), answer?.stopReason]).toEqual(['one two three', 'interrupted'])
    expect([opened.client.interruptions, opened.client.bytes]).toEqual([[], 3 * 4800])
    await opened.line.say('And now?')
    await world.rested(opened.key, 4)
    expect((await world.talk(opened.key)).at(-1)).toBe('assistant: Here again.')
  })
})
