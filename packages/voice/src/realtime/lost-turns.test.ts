// Turns whose beginning is lost: nothing of them becomes a prompt, and the next turn has nothing of them in it.

import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import { clock as systemClock } from '@bridle/system/system-ports'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually, silence, TestClient, VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'
import { IDLE_MS } from './provider-link.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

/** The words of a turn are the milliseconds of each voice in it: `7 x 200, 9 x 100`. */
const wordsOf = (audio: Buffer): string => {
  const parts: [number, number][] = []
  for (const byte of audio) {
    const last = parts.at(-1)
    if (last?.[0] === byte) last[1] += 1
    else parts.push([byte, 1])
  }
  return parts.flatMap(([byte, bytes]) => (byte === 0 ? [] : [`${byte} x ${bytes / 48}`])).join(', ')
}
const sound = (byte: number, ms = 200) => voice(ms).fill(byte)

const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start({ transcribe: wordsOf, plan: () => ({ says: 'Hi.' }), ...options })
  worlds.push(world)
  return world
}
const three = (world: VoiceWorld, wishes: Partial<VoiceRequest>) =>
  Promise.all(['a', 'b', 'c'].map((id) => world.open(id, { ...wishes, line: id })))
const prompts = async (world: VoiceWorld, key: Parameters<VoiceWorld['messages']>[0]) =>
  (await world.messages(key)).flatMap(({ role, content }) => (role === 'user' ? [content] : []))
/** Waits until the provider has so many milliseconds of audio. */
const heard = (world: VoiceWorld, ms: number) =>
  eventually(() =>
    expect(world.stub.events('input_audio_buffer.append').reduce((sum, { audio }) => sum + audio, 0)).toBe(ms * 64),
  )

describe('[V100] a provider that is lost in the middle of a turn', () => {
  test('of a client that ends its turns: the rest is dropped up to the end, and the client is told once', async () => {
    const world = await start()
    const lines = await three(world, { turns: 'manual' })
    for (const { line } of lines) line.hear(sound(3))
    await heard(world, 3 * 200)
    world.stub.drop()
    for (const { client } of lines) await eventually(() => expect(client.faults).toHaveLength(1))
    for (const { line, key, client } of lines) {
      line.hear(sound(4))
      line.hear(sound(4))
      line.endTurn()
      line.hear(sound(5))
      line.endTurn()
      await world.rested(key, 2)
      expect(await prompts(world, key)).toEqual(['5 x 200'])
      expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }])
    }
  })

  test.each([
    ['that the provider has heard', 400],
    ['that has just begun', 20],
  ])('of an open microphone: the rest of a sentence %s is dropped up to the pause', async (_name, beganMs) => {
    const world = await start()
    const lines = await three(world, { turns: 'silence' })
    for (const { line } of lines) line.hear(sound(3, beganMs))
    await heard(world, 3 * beganMs)
    world.stub.drop()
    for (const { client } of lines) await eventually(() => expect(client.faults).toHaveLength(1))
    for (const { line, key, client } of lines) {
      line.hear(sound(4, 300))
      line.hear(silence(200))
      line.hear(sound(4, 300))
      line.hear(silence(800))
      line.hear(sound(5))
      line.hear(silence(800))
      await world.rested(key, 2)
      expect(await prompts(world, key)).toEqual(['5 x 200'])
      expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }])
      expect(client.speeches.filter((each) => each === 'started').length).toBe(
        client.speeches.filter((each) => each === 'stopped').length,
      )
    }
  })

  test.each([
    ['in the pause behind the sentence', true],
    ['in the rest of the sentence', false],
  ])(
    '[V110] a provider that is lost again %s takes nothing of the next one, and is told once',
    async (_name, isOver) => {
      // The answer to the typed prompt goes on from a second connection: then the line knows of its loss.
      const broken = new Set<string>()
      const world = await start({
        plan: (_n, _session, items) => {
          const words = JSON.stringify(items)
          const id = ['a', 'b', 'c'].find((each) => words.includes(`typed ${each}`) && !broken.has(each))
          if (id === undefined) return { says: 'Hi.' }
          broken.add(id)
          return { says: 'one two three', dropsAfter: 2 }
        },
      })
      const lines = await three(world, { turns: 'silence' })
      for (const { line } of lines) line.hear(sound(3))
      await heard(world, 3 * 200)
      world.stub.drop()
      for (const { client } of lines) await eventually(() => expect(client.faults).toHaveLength(1))
      for (const { line } of lines) {
        line.hear(sound(4))
        line.hear(silence(isOver ? 800 : 600))
      }
      for (const { line, key } of lines) {
        await line.say(`typed ${key.id}`)
        await world.rested(key, 2)
      }
      expect(broken.size).toBe(3)
      for (const { line, key, client } of lines) {
        // 600 and 200 ms are one pause.
        if (!isOver) line.hear(silence(200))
        line.hear(sound(5))
        line.hear(silence(800))
        await world.rested(key, 4)
        expect(await prompts(world, key)).toEqual([`typed ${key.id}`, '5 x 200'])
        expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }])
      }
    },
  )

  test('a provider that is lost between two sentences of an open microphone costs nothing', async () => {
    const world = await start()
    const { line, key, client } = await world.open('a', { turns: 'silence' })
    line.hear(silence(100))
    await heard(world, 100)
    world.stub.drop()
    // Quiet opens no connection; a sentence into one that has just died is told, and said again.
    for (let tries = 1; tries <= 20 && world.stub.upgrades.length < 2; tries++) {
      line.hear(silence(100))
      line.hear(sound(5))
      line.hear(silence(800))
      await eventually(() => expect(client.faults.length + world.stub.upgrades.length).toBe(tries + 1))
    }
    await world.rested(key, 2)
    expect(await prompts(world, key)).toEqual(['5 x 200'])
    expect(client.faults.filter(({ code }) => code !== 'provider_lost')).toEqual([])
  })

  test('a provider that cannot be reached for the beginning of a turn gets no rest of it', async () => {
    const world = await start()
    const { line, key, client } = await world.open('a', { isResumed: true })
    world.stub.refuseNext()
    await line.hear(sound(3))
    expect(client.faults).toMatchObject([{ code: 'provider_lost' }])
    line.hear(sound(4))
    line.endTurn()
    line.hear(sound(5))
    line.endTurn()
    await world.rested(key, 2)
    expect([await prompts(world, key), client.faults.length]).toEqual([['5 x 200'], 1])
  })

  test('a turn that rests until its connection is closed is lost as a whole', async () => {
    let late = 0
    const closers: (() => void)[] = []
    const world = await start({
      clock: {
        now: () => systemClock.now() + late,
        after: (ms, call) => {
          if (ms !== IDLE_MS) return systemClock.after(ms, call)
          closers.push(call)
          return () => {}
        },
      },
    })
    const { line, key, client } = await world.open('a')
    line.hear(sound(3))
    await heard(world, 200)
    late = IDLE_MS
    for (const close of closers.splice(0)) close()
    await eventually(() => expect(world.stub.openCount()).toBe(0))
    line.hear(sound(4))
    line.endTurn()
    line.hear(sound(5))
    line.endTurn()
    await world.rested(key, 2)
    expect(await prompts(world, key)).toEqual(['5 x 200'])
    expect(client.faults).toMatchObject([{ code: 'provider_lost' }])
  })
})

describe('[V101] a client whose socket breaks in the middle of a turn', () => {
  test('that ends its turns itself begins a new one: the provider drops the old one', async () => {
    const world = await start({ plan: () => ({ says: 'one two three', chunkMs: 300 }) })
    const lines = await three(world, { turns: 'manual' })
    for (const { line } of lines) await line.say('first')
    // The answer is spoken, so that the line waits for its client.
    for (const { client } of lines) await eventually(() => expect(client.bytes).toBeGreaterThan(0))
    for (const { line } of lines) line.hear(sound(3))
    await heard(world, 3 * 200)
    const back = await three(world, { turns: 'manual' })
    for (const { line, key } of back) {
      line.hear(sound(5))
      line.endTurn()
      await eventually(async () => expect(await prompts(world, key)).toEqual(['first', '5 x 200']))
    }
    expect(world.stub.upgrades).toHaveLength(3)
  })

  test('with an open microphone: the rest of the sentence is dropped, and the client is told when it is back', async () => {
    const world = await start()
    const lines = await three(world, { turns: 'silence' })
    for (const { line } of lines) line.hear(sound(3))
    for (const { client } of lines) await eventually(() => expect(client.speeches).toEqual(['started']))
    for (const { line } of lines) line.close()
    const back = await three(world, { turns: 'silence' })
    for (const { line, key, client } of back) {
      line.hear(sound(4))
      line.hear(silence(800))
      line.hear(sound(5))
      line.hear(silence(800))
      await world.rested(key, 2)
      expect(await prompts(world, key)).toEqual(['5 x 200'])
      expect(client.faults).toMatchObject([{ code: 'turn_lost', isFinal: false }])
    }
  })

  test('[V110] with an open microphone and long frames: the next sentence begins in the frame of the pause', async () => {
    const world = await start()
    const lines = await three(world, { turns: 'silence' })
    for (const { line } of lines) line.hear(sound(3))
    for (const { client } of lines) await eventually(() => expect(client.speeches).toEqual(['started']))
    for (const { line } of lines) line.close()
    const back = await three(world, { turns: 'silence' })
    for (const { line, key } of back) {
      line.hear(Buffer.concat([sound(4), silence(800), sound(5, 150)]))
      line.hear(sound(5, 50))
      line.hear(silence(800))
      await world.rested(key, 2)
      expect(await prompts(world, key)).toEqual(['5 x 200'])
    }
  })

  test('[V110] with an open microphone, behind the pause after a sentence that was lost: the next sentence is heard', async () => {
    const world = await start()
    const lines = await three(world, { turns: 'silence' })
    for (const { line } of lines) line.hear(sound(3))
    await heard(world, 3 * 200)
    world.stub.drop()
    for (const { line, client } of lines) {
      await eventually(() => expect(client.faults).toHaveLength(1))
      line.hear(sound(4))
      line.hear(silence(800))
      line.close()
    }
    const back = await three(world, { turns: 'silence' })
    for (const { line, key, client } of back) {
      line.hear(sound(5))
      line.hear(silence(800))
      await world.rested(key, 2)
      expect(await prompts(world, key)).toEqual(['5 x 200'])
      expect(client.faults).toEqual([])
    }
  })
})

describe('[V102] turns that wait for a connection', () => {
  test('are two when the second begins before the provider is there', async () => {
    const world = await start()
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id, { isResumed: true })))
    for (const { line } of lines) {
      line.hear(sound(3))
      line.endTurn()
      line.hear(sound(5))
      line.endTurn()
    }
    for (const { key } of lines) {
      await eventually(async () => expect(await prompts(world, key)).toEqual(['3 x 200', '5 x 200']))
      await world.rested(key, 2)
    }
  })

  test('and one that is too short for a word: it is no turn, and no part of the next one', async () => {
    const world = await start()
    const client = new TestClient()
    const { line, key } = await world.open('a', {}, client)
    line.hear(sound(3, 60))
    line.endTurn()
    line.hear(sound(5))
    line.endTurn()
    await world.rested(key, 2)
    expect(await prompts(world, key)).toEqual(['5 x 200'])
    expect(client.faults).toMatchObject([{ code: 'turn_empty', isFinal: false }])
  })
})
