// Sessions that ask for audio, through a realtime provider.

import type { Key } from '@bridle/kernel/event'
import { afterEach, expect, test } from 'vitest'
import { ASKING, keptAudio } from '../keeping/kept-audio.suite.ts'
import { eventually, silence, TestClient, VoiceWorld, type WorldOptions } from '../voice-world.suite.ts'

const worlds: VoiceWorld[] = []
const start = async (options: WorldOptions = {}) => {
  const world = await VoiceWorld.start(options)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

const IDS = ['a', 'b', 'c']

/** Sound of so many milliseconds, of which each sample differs. */
const sound = (ms: number, seed: number): Buffer => {
  const audio = Buffer.alloc(ms * 48)
  for (let at = 0; at < audio.length; at += 2) audio.writeInt16LE(1 + ((at * 7 + seed * 131) % 30_000), at)
  return audio
}

const ask = (world: VoiceWorld, id: string) =>
  world.host.send({ tenant: 'acme', agent: 'talker', id }, { type: 'create', opening: ASKING })

const kept = async (world: VoiceWorld, key: Key, count: number) => {
  const session = await world.host.open(key)
  await eventually(() => expect(session.state.artifacts.latest.filter(({ speech }) => speech).length).toBe(count))
  return keptAudio(session)
}

test('[V93] turns and answers are artifacts, sample by sample, in three sessions at once; a fourth does not ask', async () => {
  const answers = [sound(400, 1), sound(300, 2)]
  const world = await start({
    plan: (n) => ({
      heard: `turn ${n + 1}`,
      says: 'one two three four',
      audio: answers[n] ?? Buffer.alloc(0),
      chunkBytes: (answers[n]?.length ?? 0) / 4,
    }),
  })
  for (const id of IDS) await ask(world, id)
  const lines = await Promise.all([...IDS, 'quiet'].map((id) => world.open(id)))
  const turns = [sound(200, 3), sound(150, 4)]
  for (const [index, turn] of turns.entries()) {
    for (const { line } of lines) {
      for (let at = 0; at < turn.length; at += 960) line.hear(turn.subarray(at, at + 960))
      line.endTurn()
    }
    for (const { key } of lines) await world.rested(key, 2 * (index + 1))
    for (const { key } of lines.slice(0, 3)) await kept(world, key, 2 * (index + 1))
  }
  for (const { key } of lines.slice(0, 3)) {
    const audio = (await kept(world, key, 4)).toSorted((one, other) => one.role.localeCompare(other.role))
    expect(audio.map(({ role, words, ms }) => [role, words, ms])).toEqual([
      ['assistant', 'one two three four', 400],
      ['assistant', 'one two three four', 300],
      ['user', 'turn 1', 200],
      ['user', 'turn 2', 150],
    ])
    for (const [index, data] of [...answers, ...turns].entries()) expect(audio[index]?.data.equals(data)).toBe(true)
  }
  const quiet = lines[3] as (typeof lines)[0]
  expect(await world.talk(quiet.key)).toHaveLength(4)
  expect(await keptAudio(await world.host.open(quiet.key))).toEqual([])
})

test('[V93] with turns by silence, a turn has the audio between its beginning and its end', async () => {
  const world = await start({ plan: (n) => ({ heard: `turn ${n + 1}`, says: 'Yes.' }) })
  for (const id of IDS) await ask(world, id)
  const lines = await Promise.all(IDS.map((id) => world.open(id, { turns: 'silence' })))
  const speech = sound(200, 5)
  for (const [index] of ['first', 'second'].entries()) {
    for (const { line } of lines) {
      // A second without words, of which the provider counts 300 ms to the turn.
      for (let at = 0; at < 50; at++) line.hear(silence(20))
      line.hear(speech)
      for (let at = 0; at < 40; at++) line.hear(silence(20))
    }
    for (const { key } of lines) await world.rested(key, 2 * (index + 1))
  }
  for (const { key } of lines) {
    const turns = (await kept(world, key, 4)).filter(({ role }) => role === 'user')
    expect(turns.map(({ words, ms }) => [words, ms])).toEqual([
      ['turn 1', 300 + 200 + 700],
      ['turn 2', 300 + 200 + 700],
    ])
    for (const { data } of turns) expect(data.subarray(300 * 48, 500 * 48).equals(speech)).toBe(true)
  }
})

test('[V93] an answer that is interrupted is kept as far as it was heard', async () => {
  const answer = sound(20_000, 6)
  const world = await start({
    plan: (n) =>
      n === 0
        ? { heard: 'count', says: 'a b c d e f g h i j', audio: answer, chunkBytes: answer.length / 10 }
        : { heard: 'stop', says: 'Done.' },
  })
  for (const id of IDS) await ask(world, id)
  const clients = IDS.map(() => {
    const client = new TestClient()
    client.isFast = false
    client.onInterrupted = (item) => queueMicrotask(() => client.report?.(item, 9_000, true))
    return client
  })
  const lines = await Promise.all(IDS.map((id, index) => world.open(id, {}, clients[index])))
  for (const { line } of lines) {
    line.hear(sound(200, 7))
    line.endTurn()
  }
  for (const { client, key } of lines) {
    await eventually(() => expect(client.bytes).toBe(answer.length))
    await world.rested(key, 2)
  }
  for (const { line } of lines) await line.interrupt()
  for (const { key } of lines) {
    const audio = (await kept(world, key, 2)).find(({ role }) => role === 'assistant')
    expect(audio?.ms).toBe(9_000)
    expect(audio?.data.equals(answer.subarray(0, 9_000 * 48))).toBe(true)
    expect(audio?.words).toBe('a b c d')
  }
})

test('[V96] speech that nobody understood, and speech into a connection that was lost, is not kept', async () => {
  const last = sound(120, 10)
  const world = await start({
    plan: () => ({ says: 'Hi.' }),
    transcribe: (audio) => (audio.length === last.length ? 'Hello.' : ''),
  })
  for (const id of IDS) await ask(world, id)
  const lines = await Promise.all(IDS.map((id) => world.open(id)))
  for (const { line } of lines) {
    line.hear(sound(200, 8))
    line.endTurn()
  }
  for (const { client } of lines)
    await eventually(() => expect(client.faults).toMatchObject([{ code: 'speech_not_understood' }]))
  for (const { line } of lines) line.hear(sound(200, 9))
  world.stub.drop()
  for (const { client } of lines)
    await eventually(() => expect(client.faults.at(-1)).toMatchObject({ code: 'provider_lost' }))
  for (const { line, key } of lines) {
    // The end of the turn that was lost.
    line.endTurn()
    line.hear(last)
    line.endTurn()
    const [turn, answer] = await kept(world, key, 2)
    expect([turn?.role, turn?.words, answer?.role]).toEqual(['user', 'Hello.', 'assistant'])
    expect(turn?.data.equals(last)).toBe(true)
  }
})

test('[V96] a listener who leaves has heard a part of the answer, and that part is kept, in two chunks', async () => {
  const answer = sound(20_000, 11)
  const world = await start({
    plan: () => ({ heard: 'count', says: 'a b c d e f g h i j', audio: answer, chunkBytes: answer.length / 10 }),
  })
  for (const id of IDS) await ask(world, id)
  const lines = await Promise.all(
    IDS.map((id) => {
      const client = new TestClient()
      client.isFast = false
      return world.open(id, {}, client)
    }),
  )
  for (const { line } of lines) {
    line.hear(sound(200, 12))
    line.endTurn()
  }
  for (const { client, line } of lines) {
    await eventually(() => expect(client.bytes).toBe(answer.length))
    line.played(client.heard[0]?.item ?? '', 17_000)
    line.close()
  }
  for (const { key } of lines) {
    const audio = (await kept(world, key, 2)).find(({ role }) => role === 'assistant')
    expect(audio?.ms).toBe(17_000)
    expect(audio?.data.equals(answer.subarray(0, 17_000 * 48))).toBe(true)
  }
})
