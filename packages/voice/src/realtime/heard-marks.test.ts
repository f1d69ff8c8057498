// The log knows how far the listener of an answer is, and speech interrupts an answer that another line has left behind.

import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { isRefusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import { clock } from '@bridle/system/system-ports'
import { afterEach, describe, expect, test } from 'vitest'
import { PLAYED_LOOK_MS } from '../spoken/heard-answers.ts'
import { eventually, TestClient, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})
const start = async (options: WorldOptions) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}

const TEN = 'one two three four five six seven eight nine ten'
const IDS = ['a', 'b', 'c']
const slowClient = () => {
  const client = new TestClient()
  client.isFast = false
  return client
}
const marks = async (world: VoiceWorld, key: Key) =>
  (await world.events(key)).flatMap((event) => (event.type === 'answer_heard' ? [event.payload] : []))

describe('[V104] the log of a spoken answer', () => {
  test('has how far its listener is, and that they have heard it, in three sessions', async () => {
    const world = await start({ plan: () => ({ heard: 'count', says: TEN, chunkBytes: 48_000 }) })
    const lines = await Promise.all(IDS.map((id) => world.open(id, { line: id }, slowClient())))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { key, client } of lines) {
      await world.rested(key, 2)
      client.report?.(client.heard[0]?.item ?? '', 4_000)
    }
    const [, { runId = '' } = {}] = await world.messages(lines[0]?.key as Key)
    const four = { run_id: runId, chars: 'one two three four'.length, audio_ms: 4_000 }
    for (const { key } of lines)
      await eventually(async () => expect((await marks(world, key)).at(-1)).toMatchObject({ chars: four.chars }))
    // A listener who leaves is marked at once.
    const [a, b] = lines as [(typeof lines)[0], (typeof lines)[0]]
    a.client.report?.(a.client.heard[0]?.item ?? '', 6_000)
    a.line.close()
    await eventually(async () =>
      expect((await marks(world, a.key)).at(-1)).toMatchObject({ chars: 'one two three four five six'.length }),
    )
    b.client.report?.(b.client.heard[0]?.item ?? '', 10_000)
    await eventually(async () => expect((await marks(world, b.key)).at(-1)).toMatchObject({ over: true }))
    const session = await world.host.open(b.key)
    expect([session.state.listening.answer, (await world.messages(b.key))[1]?.content]).toEqual([null, TEN])
  })

  test('has the place of a listener who leaves at once, without a look of the clock', async () => {
    const after: Clock['after'] = (ms, call) => (ms === PLAYED_LOOK_MS ? () => {} : clock.after(ms, call))
    const plan = () => ({ heard: 'count', says: TEN, chunkBytes: 48_000 })
    const world = await start({ clock: { now: clock.now, after }, plan })
    const { line, key, client } = await world.open('a', { line: 'mine' }, slowClient())
    line.hear(voice(200))
    line.endTurn()
    await world.rested(key, 2)
    client.report?.(client.heard[0]?.item ?? '', 6_000)
    line.close()
    const six = { chars: 'one two three four five six'.length, audio_ms: 6_000 }
    await eventually(async () => expect(await marks(world, key)).toMatchObject([six]))
  })

  test('has nothing of an answer that is played as fast as it comes', async () => {
    const world = await start({ plan: () => ({ heard: 'count', says: TEN }) })
    const { line, key } = await world.open('a')
    line.hear(voice(200))
    line.endTurn()
    await world.rested(key, 2)
    expect(await marks(world, key)).toEqual([])
  })
})

describe('[V106] speech on a line that finds a spoken turn unanswered', () => {
  test('interrupts what is being written, and is answered at once, in three sessions', async () => {
    const talker = agent({ name: 'talker', model: scriptedModel(() => new Promise(() => {})) })
    const world = await start({ agents: [talker], plan: () => ({ heard: 'And now?', says: 'Now this.' }) })
    const lines = await Promise.all(
      IDS.map(async (id) => {
        const key = { tenant: 'acme', agent: 'talker', id }
        const answer = await world.host.send(key, { type: 'submit', prompt: 'first', spoken: true })
        if (isRefusal(answer)) throw new Error(answer.message)
        const session = await world.host.open(key)
        await eventually(() => expect(session.state.lifecycle.run?.phase).toBe('started'))
        return world.open(id)
      }),
    )
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    for (const { key } of lines) {
      await eventually(async () => expect((await world.talk(key)).at(-1)).toBe('assistant: Now this.'))
      expect((await world.talk(key)).filter((text) => text.startsWith('user'))).toEqual([
        'user: first',
        'user: And now?',
      ])
    }
  })
})
