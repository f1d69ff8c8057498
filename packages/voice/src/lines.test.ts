// Lines: one for each session, faults of the provider, reconnects, and lines on which nothing is said.

import { agent } from '@bridle/agents/agent'
import { isVoiceFault } from '@bridle/kernel/ports/voice'
import { clock as systemClock } from '@bridle/system/system-ports'
import { afterEach, describe, expect, test } from 'vitest'
import { connectProvider } from './node/provider-socket.ts'
import { RESPONSE_END_MS } from './realtime/line-responses.ts'
import { openai } from './realtime/openai/openai.ts'
import { PROVIDER_UNSENT_BYTES_MAX } from './realtime/provider-connection.ts'
import { IDLE_MS } from './realtime/provider-link.ts'
import type { ConnectProvider } from './realtime/provider-socket.ts'
import {
  eventually,
  KEY,
  silence,
  TestClient,
  talker,
  VoiceWorld,
  voice,
  type WorldOptions,
} from './voice-world.suite.ts'

const worlds: VoiceWorld[] = []
const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

describe('[V14] a session has one line', () => {
  test('a second client is refused; the same client replaces its older line; a closed line leaves its place', async () => {
    const world = await start({ plan: (n) => ({ heard: 'hello', says: `Answer ${n}.` }) })
    const other = await world.open('b')
    const first = await world.open('a', { line: 'mine' })
    for (const line of [undefined, 'other'])
      expect((await world.dial('a', line === undefined ? {} : { line })).line).toMatchObject({ code: 'line_busy' })
    // The name alone is not enough: a session that no prompt has made yet has no owner to ask.
    expect((await world.dial('a', { line: 'mine', user: 'bo' })).line).toMatchObject({ code: 'line_busy' })
    const second = await world.open('a', { line: 'mine' })
    expect(first.client.faults).toMatchObject([{ code: 'line_replaced', isFinal: true }])
    // The older socket learns later that it was replaced: its close must not end the line of the newer one.
    first.line.close()
    expect((await world.dial('a')).line).toMatchObject({ code: 'line_busy' })
    for (const { line } of [second, other]) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { key } of [second, other]) {
      await world.rested(key, 2)
      expect(await world.talk(key)).toEqual(['user: hello', 'assistant: Answer 0.'])
    }
    second.line.close()
    expect(isVoiceFault((await world.dial('a')).line)).toBe(false)
  })

  test('an agent without a model, or a server without a key, says what the operator sets', async () => {
    const plain = agent({ name: 'plain', run: () => 'Hi' })
    const world = await start({ agents: [talker, plain] })
    const key = { tenant: 'acme', agent: 'plain', id: 'a' }
    expect((await world.dial('a', { key })).line).toMatchObject({
      code: 'voice_unavailable',
      message: expect.stringContaining('BRIDLE_STT_URL'),
    })
    expect(['talker', 'plain'].map((name) => world.lines.kindOf(name))).toEqual(['realtime', null])
    const keyless = await start({ agents: [talker, plain], ports: { realtime: null } })
    for (const asked of [{}, { key }]) {
      const { line } = await keyless.dial('a', asked)
      expect(line).toMatchObject({ code: 'voice_unavailable' })
      for (const name of ['OPENAI_API_KEY', 'BRIDLE_STT_URL', 'BRIDLE_TTS_URL'])
        expect(line).toMatchObject({ message: expect.stringContaining(name) })
    }
  })
})

describe('[V15] faults of the provider', () => {
  test.each<[string, WorldOptions, object, string]>([
    ['a key that is refused', { key: 'another' }, {}, 'provider_key'],
    ['a model that does not exist', { models: ['gpt-realtime'] }, { model: 'gpt-none' }, 'provider_model'],
    [
      'a provider that is not there',
      { ports: { realtime: { provider: openai, url: 'http://127.0.0.1:9/v1', key: KEY, connect: connectProvider } } },
      {},
      'provider_lost',
    ],
  ])('%s is one fault, and nothing is in the log', async (_name, options, wishes, code) => {
    const world = await start(options)
    for (const id of ['a', 'b']) {
      const { line, client, key } = await world.dial(id, wishes)
      expect(line).toMatchObject({ code, message: expect.not.stringContaining(KEY) })
      expect(client.faults).toEqual([])
      expect(await world.host.find(key)).toBeNull()
    }
  })

  test('a provider that closes the socket while it is being connected is one fault', async () => {
    const connect: ConnectProvider = async (_address, events) => {
      events.message('{"type":"session.created"}')
      events.closed()
      return { send: () => {}, unsent: () => 0, close: () => {} }
    }
    const world = await start({ ports: { realtime: { provider: openai, url: 'ws://provider', key: KEY, connect } } })
    expect((await world.dial('a')).line).toMatchObject({ code: 'provider_lost' })
  })

  test.each(['in the middle of a turn', 'at its end'])(
    'a provider that drops %s: the client hears of it, and speaks again',
    async (when) => {
      const world = await start({ plan: () => ({ heard: 'hello', says: 'Hi.' }) })
      const { line, key, client } = await world.open('a')
      line.hear(voice(200))
      await eventually(() => expect(world.stub.events('input_audio_buffer.append')).toHaveLength(1))
      world.stub.drop()
      // The server has not seen the end of the connection yet.
      if (when === 'at its end') line.endTurn()
      await eventually(() => expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }]))
      if (when === 'in the middle of a turn') line.endTurn()
      line.hear(voice(200))
      line.endTurn()
      await world.rested(key, 2)
      expect(await world.talk(key)).toEqual(['user: hello', 'assistant: Hi.'])
    },
  )

  test('speech that nobody understands, a turn without audio, and a response that fails', async () => {
    const world = await start({
      plan: (n, _session, items) =>
        items.length === 0
          ? { heard: null }
          : {
              heard: 'hello',
              ...(n === 0 && { error: { type: 'x', code: 'odd', message: `No ${KEY} today.` } }),
              ...(n > 0 && { says: 'Hi.' }),
            },
    })
    const { line, key, client } = await world.open('a')
    line.endTurn()
    expect(client.faults).toMatchObject([{ code: 'turn_empty' }])
    line.hear(voice(200))
    line.endTurn()
    await eventually(() =>
      expect(client.faults.at(-1)).toMatchObject({ code: 'speech_not_understood', isFinal: false }),
    )
    expect(await world.host.find(key)).toBeNull()
    await line.say('written then')
    await world.rested(key, 2)
    expect(await world.talk(key)).toEqual(['user: written then', 'assistant: Hi.'])
    expect(JSON.stringify(await world.events(key))).not.toContain(KEY)
  })

  test('messages that are no events, or name nothing, are not read: the answer is whole', async () => {
    const connect: ConnectProvider = (address, events) =>
      connectProvider(address, {
        ...events,
        message: (text) => {
          for (const odd of text.includes('"response.created"') ? ODD_MESSAGES : []) events.message(odd)
          events.message(text)
        },
      })
    const world = await start({ plan: () => ({ heard: 'hello', says: 'Hi there.' }) })
    const odd = await start({ ports: { realtime: { provider: openai, url: world.stub.url, key: KEY, connect } } })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => odd.open(id)))
    for (const messages of [2, 4])
      for (const { line, key } of lines) {
        line.hear(voice(200))
        line.endTurn()
        await odd.rested(key, messages)
      }
    for (const { client, key } of lines) {
      expect(await odd.talk(key)).toEqual([
        'user: hello',
        'assistant: Hi there.',
        'user: hello',
        'assistant: Hi there.',
      ])
      expect([client.bytes, client.faults]).toEqual([4 * 4800, []])
    }
  })
})

/** A message of each kind that no provider should send. */
const ODD_MESSAGES = [
  ...['', 'no JSON', '[]', 'null', '5', '{}', '{"type":5}', '{"type":"__proto__"}', '{"type":"constructor"}'],
  `{"type":"x","y":${'['.repeat(50_000)}`,
  `{"type":"response.output_audio.delta","delta":"${'A'.repeat(5_000_000)}"}`,
  ...[
    { type: 'response.created' },
    { type: 'response.done' },
    { type: 'response.output_audio.delta', response_id: {}, delta: 5 },
    { type: 'response.output_audio.delta', response_id: 'another', item_id: 'x', delta: 'AAAA' },
    { type: 'response.done', response: { id: 'another', status: 'failed' } },
    { type: 'input_audio_buffer.committed' },
    { type: 'conversation.item.input_audio_transcription.completed' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: 'another', transcript: 'Not mine.' },
  ].map((event) => JSON.stringify(event)),
]

describe('[V16] a line on which nothing is said', () => {
  /** The time of the system, with timers that the test moves. */
  const movableClock = () => {
    const timers = new Set<{ readonly at: number; readonly call: () => void }>()
    let moved = 0
    const now = () => systemClock.now() + moved
    return {
      now,
      after: (ms: number, call: () => void) => {
        const timer = { at: now() + ms, call }
        timers.add(timer)
        const cancel = systemClock.after(ms, () => timers.delete(timer) && call())
        return () => {
          timers.delete(timer)
          cancel()
        }
      },
      advance: (ms: number) => {
        moved += ms
        for (const timer of [...timers]) if (timer.at <= now() && timers.delete(timer)) timer.call()
      },
    }
  }

  test('closes the socket of its provider, and opens it with the transcript when it is needed again', async () => {
    const clock = movableClock()
    const world = await start({ clock, plan: () => ({ heard: 'hello', says: 'Hi.' }) })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    const speak = async (messages: number) => {
      for (const { line, key } of lines) {
        line.hear(voice(200))
        line.endTurn()
        await world.rested(key, messages)
      }
    }
    await speak(2)
    expect(world.stub.openCount()).toBe(3)
    clock.advance(IDLE_MS)
    clock.advance(IDLE_MS)
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    await speak(4)
    expect(world.stub.upgrades).toHaveLength(6)
    const added = world.stub.received.filter(
      ({ type, connection }) => type === 'conversation.item.create' && connection > 3,
    )
    expect(added.map(({ item }) => item.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
    for (const { client } of lines) expect(client.faults).toEqual([])
  })

  test('a microphone that stays open and sends silence keeps nothing open, and opens nothing', async () => {
    const clock = movableClock()
    const world = await start({ clock, plan: () => ({ heard: 'hello', says: 'Hi.' }) })
    const { line, key, client } = await world.open('a', { turns: 'silence' })
    for (const _seconds of Array(3)) {
      line.hear(silence(20))
      await eventually(() => expect(world.stub.events('input_audio_buffer.append').length).toBeGreaterThan(0))
      clock.advance(IDLE_MS / 2)
    }
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    for (const _frame of Array(100)) line.hear(silence(20))
    expect(world.stub.upgrades).toHaveLength(1)
    const appended = world.stub.events('input_audio_buffer.append').length
    for (const _frame of Array(20)) line.hear(voice(20))
    for (const _frame of Array(40)) line.hear(silence(20))
    await world.rested(key, 2)
    expect(await world.talk(key)).toEqual(['user: hello', 'assistant: Hi.'])
    // The last 300 ms before the words went with them.
    expect(world.stub.events('input_audio_buffer.append').length - appended).toBe(15 + 20 + 40)
    expect(client.faults).toEqual([])
  })

  test('a response that the provider never ends keeps no socket open, with its client or without', async () => {
    const clock = movableClock()
    const never = new Promise<void>(() => {})
    const world = await start({ clock, plan: () => ({ says: 'One two three.', pause: { after: 1, until: never } }) })
    const [staying, leaving] = await Promise.all(['a', 'b'].map((id) => world.open(id)))
    for (const each of [staying, leaving]) {
      await each?.line.say('Count.')
      await eventually(() => expect(each?.client.bytes).toBeGreaterThan(0))
      await each?.line.interrupt()
    }
    leaving?.line.close()
    clock.advance(RESPONSE_END_MS)
    await eventually(() => expect(world.stub.openCount()).toBe(1))
    clock.advance(IDLE_MS)
    clock.advance(IDLE_MS)
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    expect([staying?.client.faults, leaving?.client.faults]).toEqual([[], []])
  })

  test('a line that wakes with its client connects only when it is used', async () => {
    const world = await start({ plan: () => ({ heard: 'hello', says: 'Hi.' }) })
    const { line, key } = await world.open('a', { isResumed: true })
    expect(world.stub.upgrades).toEqual([])
    line.hear(voice(200))
    line.endTurn()
    await world.rested(key, 2)
    expect(await world.talk(key)).toEqual(['user: hello', 'assistant: Hi.'])
  })
})

test('[V17] a provider that takes no audio holds the client back', async () => {
  let unsent = 0
  const world = await start({
    ports: {},
    plan: () => ({ heard: 'hello', says: 'Hi.' }),
  })
  const client = new TestClient()
  const lines = await VoiceWorld.start({
    ports: {
      realtime: {
        provider: openai,
        url: world.stub.url,
        key: KEY,
        connect: async (address, events) => {
          const socket = await connectProvider(address, events)
          return { ...socket, unsent: () => unsent }
        },
      },
    },
  })
  worlds.push(lines)
  const { line } = await lines.open('a', {}, client)
  expect(line.hear(voice(20))).toBeUndefined()
  unsent = PROVIDER_UNSENT_BYTES_MAX + 1
  const waiting = line.hear(voice(20))
  expect(waiting).toBeInstanceOf(Promise)
  unsent = 0
  await waiting
  expect(line.hear(voice(20))).toBeUndefined()
})
