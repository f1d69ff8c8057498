// A listener who leaves: what the log says was said is what was heard, and who comes back hears the rest.

import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import type { Clock } from '@bridle/kernel/ports/clock'
import { clock as systemClock } from '@bridle/system/system-ports'
import { afterEach, describe, expect, test } from 'vitest'
import { bytesOf, silence as quiet, voice as sounding } from '../audio/sounds.suite.ts'
import { cascadeWorld, RecordingClient, script } from '../cascade/cascade-world.suite.ts'
import { AWAY_MS, Lines } from '../lines.ts'
import { eventually, silence, TestClient, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

/** Ten words, with 100 ms of audio each. */
const TEN = 'one two three four five six seven eight nine ten'

/** The wait for a client that is away passes when the test says so; all other time is real. */
const start = async (options: WorldOptions = {}) => {
  const waits = new Set<() => void>()
  const clock: Clock = {
    now: systemClock.now,
    after: (ms, call) => {
      if (ms !== AWAY_MS) return systemClock.after(ms, call)
      waits.add(call)
      return () => waits.delete(call)
    },
  }
  const world = await VoiceWorld.start({ clock, ...options })
  worlds.push(world)
  const endWaits = () => {
    for (const call of waits) call()
  }
  return { world, endWaits, waits }
}

/** A client that plays slowly, and has reported so much. */
const slowClient = () => {
  const client = new TestClient()
  client.isFast = false
  return client
}

describe('[V48] a listener who hangs up a realtime line', () => {
  test('has interrupted the answer where they stopped to hear it, in three sessions', async () => {
    const { world, endWaits } = await start({ plan: () => ({ heard: 'count', says: TEN, chunkBytes: 48_000 }) })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id, { line: id }, slowClient())))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { line, key, client } of lines) {
      await world.rested(key, 2)
      client.report?.(client.heard[0]?.item ?? '', 4_000)
      line.close()
      expect(await world.talk(key)).toEqual(['user: count', `assistant: ${TEN}`])
    }
    endWaits()
    for (const { key } of lines)
      await eventually(async () => {
        const [, answer] = await world.messages(key)
        expect([answer?.content, answer?.stopReason]).toEqual(['one two three four', 'interrupted'])
      })
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    // The line is free, and the next turn knows what was heard.
    const again = await world.open('a')
    await again.line.say('go on')
    await world.rested(again.key, 4)
    const created = world.stub.events('conversation.item.create').map(({ item }) => JSON.stringify(item.content))
    expect(created.some((text) => text.includes('one two three four') && !text.includes('five'))).toBe(true)
  })

  test('and comes back in time hears the rest once, and nothing is cut', async () => {
    const { world, endWaits, waits } = await start({ plan: () => ({ heard: 'count', says: TEN, chunkMs: 40 }) })
    const { line, key, client } = await world.open('a', { line: 'mine' }, slowClient())
    line.hear(voice(200))
    line.endTurn()
    await eventually(() => expect(client.heard.length).toBeGreaterThanOrEqual(2))
    line.close()
    const before = client.bytes
    await world.rested(key, 2)
    expect(client.bytes).toBe(before)
    const back = await world.open('a', { line: 'mine' }, slowClient())
    await eventually(() => expect(before + back.client.bytes).toBe(10 * 4800))
    expect(new Set([...client.heard, ...back.client.heard].map(({ item }) => item)).size).toBe(1)
    expect([waits.size, world.stub.upgrades.length]).toEqual([0, 1])
    endWaits()
    back.client.report?.(back.client.heard[0]?.item ?? '', 1_000)
    back.line.close()
    expect((await world.messages(key))[1]).toMatchObject({ content: TEN, status: 'complete' })
  })

  test('[V103] and comes back learns why the answer stopped meanwhile', async () => {
    const refusing = Promise.withResolvers<void>()
    const { world } = await start({
      plan: (_n, _session, items) => ({
        heard: 'count',
        says: TEN,
        ...(items.length < 2 && { pause: { after: 2, until: refusing.promise }, dropsAfter: 3 }),
      }),
    })
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id, { line: id }, slowClient())))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { line, client } of lines) {
      await eventually(() => expect(client.heard.length).toBeGreaterThan(0))
      line.close()
    }
    // Three tries of each line to go on with its answer.
    for (let tries = 0; tries < 9; tries++) world.stub.refuseNext()
    refusing.resolve()
    for (const { key, client } of lines) {
      await world.rested(key, 2)
      expect([(await world.messages(key))[1]?.stopReason, client.faults]).toEqual(['interrupted', []])
    }
    for (const id of ['a', 'b', 'c']) {
      const { client } = await world.open(id, { line: id }, slowClient())
      await eventually(() => expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }]))
    }
  })

  test('gives the line to the next client at once; a client that plays on has heard what it has', async () => {
    const { world } = await start({ plan: () => ({ heard: 'count', says: TEN, chunkBytes: 48_000 }) })
    const [first, second] = [slowClient(), slowClient()]
    for (const [id, client] of [
      ['a', first],
      ['b', second],
    ] as const) {
      const { line, key } = await world.open(id, { line: 'mine' }, client)
      line.hear(voice(200))
      line.endTurn()
      await world.rested(key, 2)
      client.report?.(client.heard[0]?.item ?? '', 2_000)
      if (id === 'a') line.close()
    }
    const [a, b] = [await world.open('a', { line: 'other' }), await world.open('b', { line: 'mine', turns: 'silence' })]
    await eventually(async () => expect((await world.messages(a.key))[1]?.content).toBe('one two'))
    expect(second.faults).toMatchObject([{ code: 'line_replaced' }])
    expect((await world.messages(b.key))[1]).toMatchObject({ content: TEN, status: 'complete' })
    // The line is as the newer query wants it: a pause ends a turn.
    for (const audio of [voice(200), silence(800)]) b.line.hear(audio)
    await world.rested(b.key, 4)
  })

  test('does not stop the work: a run that calls a tool after that answers in writing', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const talker = agent({
      name: 'talker',
      model: scriptedModel(() => ({ text: 'Ordered, and on its way.' })),
      tools: [tool({ name: 'order', description: 'Orders.', run: () => gate.then(() => 'ordered') })],
    })
    const { world, endWaits } = await start({
      agents: [talker],
      plan: () => ({ heard: 'pizza', says: 'I order it now. ', call: { name: 'order' }, chunkBytes: 48_000 }),
    })
    const { line, key, client } = await world.open('a', { line: 'mine' }, slowClient())
    line.hear(voice(200))
    line.endTurn()
    await eventually(async () => expect((await world.events(key)).map(({ type }) => type)).toContain('tool_call'))
    client.report?.(client.heard[0]?.item ?? '', 1_000)
    line.close()
    endWaits()
    release()
    await world.rested(key, 2)
    expect(await world.talk(key)).toEqual(['user: pizza', 'assistant: I order it now. Ordered, and on its way.'])
  })
})

describe('[V48] a listener who hangs up the cascade', () => {
  const open = async (ids: readonly string[]) => {
    const world = cascadeWorld()
    const { clock, host } = world
    const lines = new Lines({
      ...{ clock, send: (key, command) => host.send(key, command), hasModel: () => false, realtime: null },
      cascade: world.engine,
    })
    const dial = async (id: string, client = new RecordingClient()) => {
      const request = await world.requestOf(id, { line: 'mine' })
      const line = await lines.open(request, client)
      if ('code' in line) throw new Error(line.message)
      return { line, client, messages: () => messagesOf(request.session) }
    }
    return { ...world, dial, opened: await Promise.all(ids.map((id) => dial(id))) }
  }
  const messagesOf = ({ state }: { readonly state: { conversation: { messages: readonly object[] } } }) =>
    state.conversation.messages.map((message) => {
      const { role, content, stopReason } = message as { role: string; content: string; stopReason?: string }
      return stopReason === undefined ? [role, content] : [role, content, stopReason]
    })
  const text = 'The first sentence is here. The second one follows it. And a third one ends it.'

  test('has interrupted the answer, in two sessions; who comes back in time hears it to its end', async () => {
    const { opened, dial, settle, pass, clock } = await open(['a', 'b', 'c'])
    for (const { line } of opened) await line.say(script({ text }))
    await settle()
    const [a, b, c] = opened as [(typeof opened)[0], (typeof opened)[0], (typeof opened)[0]]
    const item = (client: RecordingClient) => client.items[0]?.item ?? ''
    const sentMs = c.client.items.reduce((sum, { ms }) => sum + ms, 0)
    for (const { line, client } of opened) line.played(item(client), sentMs / 3)
    for (const { line } of opened) line.close()
    await clock.pass(2_000)
    const back = await dial('c')
    await pass(AWAY_MS)
    for (const { messages } of [a, b]) {
      const [, answer] = messages() as [unknown, [string, string, string]]
      expect(answer[2]).toBe('interrupted')
      expect(text.startsWith(answer[1])).toBe(true)
      expect(answer[1].length).toBeGreaterThan(0)
      expect(answer[1].length).toBeLessThan(text.length / 2)
    }
    expect(back.messages()[1]).toEqual(['assistant', text])
    const heardMs = [...c.client.items, ...back.client.items].reduce((sum, { ms }) => sum + ms, 0)
    expect(heardMs).toBe(sentMs)
  })

  test('[V101] in the middle of a sentence says it again: the rest of it is dropped, and the client is told', async () => {
    const { opened, dial, settle, pass, stub } = await open(['a', 'b', 'c'])
    for (const { line } of opened) line.hear(bytesOf(sounding(600)))
    await settle()
    for (const { line } of opened) line.close()
    const back = await Promise.all(['a', 'b', 'c'].map((id) => dial(id)))
    await pass(1)
    for (const sound of [sounding(400), quiet(800), sounding(500), quiet(800)])
      for (const { line } of back) line.hear(bytesOf(sound))
    await settle()
    for (const { client, messages } of back) {
      expect(messages().filter(([role]) => role === 'user')).toHaveLength(1)
      expect(client.faults.map(({ code }) => code)).toEqual(['turn_lost'])
    }
    expect(stub.heard).toHaveLength(3)
  })

  test('[V110] again behind the pause after that sentence: the next sentence is heard', async () => {
    const { opened, dial, settle, pass, stub } = await open(['a', 'b', 'c'])
    for (const { line } of opened) line.hear(bytesOf(sounding(600)))
    for (const { line } of opened) line.close()
    const back = await Promise.all(['a', 'b', 'c'].map((id) => dial(id)))
    await pass(1)
    for (const { line } of back) line.hear(bytesOf(sounding(400), quiet(800)))
    for (const { line } of back) line.close()
    const again = await Promise.all(['a', 'b', 'c'].map((id) => dial(id)))
    await pass(1)
    for (const { line } of again) line.hear(bytesOf(sounding(500), quiet(800)))
    await settle()
    for (const { client, messages } of again) {
      expect(messages().filter(([role]) => role === 'user')).toHaveLength(1)
      expect(client.faults).toEqual([])
    }
    expect(stub.heard).toHaveLength(3)
  })
})
