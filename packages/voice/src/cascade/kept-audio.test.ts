// Sessions that ask for audio, through services that hear and speak.

import { key } from '@bridle/kernel/host/host.suite'
import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import { expect, test } from 'vitest'
import { bytesOf, silence, voice } from '../audio/sounds.suite.ts'
import { ASKING, keptAudio } from '../keeping/kept-audio.suite.ts'
import { cascadeWorld, script } from './cascade-world.suite.ts'

const IDS = ['a', 'b', 'c']

const askingWorld = async (answer: string, more: Partial<VoiceRequest> = {}) => {
  const world = cascadeWorld()
  world.stub.transcript = () => script({ text: answer })
  for (const id of IDS) await world.host.send(key(id), { type: 'create', opening: ASKING })
  const lines = await Promise.all(IDS.map((id) => world.open(id, { turns: 'manual', ...more })))
  return { ...world, lines }
}
/** Each word of the answer has so many characters, of 50 ms each. */
const ANSWER = 'One two three. Four five six.'
const MS = 28 * 50

test('[V93] turns and answers are artifacts in three sessions; a fourth does not ask', async () => {
  const { lines, open, pass, settle } = await askingWorld(ANSWER)
  const quiet = await open('quiet', { turns: 'manual' })
  const speech = bytesOf(voice(500))
  for (const turn of [1, 2]) {
    for (const { line } of [...lines, quiet]) {
      await line.hear(speech)
      line.endTurn()
    }
    await pass(5_000)
    await settle()
    for (const { session } of lines) expect(await keptAudio(session)).toHaveLength(2 * turn)
  }
  for (const { session } of lines) {
    const audio = await keptAudio(session)
    expect(audio.map(({ role, ms, sampleRate }) => [role, ms, sampleRate])).toEqual([
      ['user', 500, 24_000],
      ['assistant', MS, 24_000],
      ['user', 500, 24_000],
      ['assistant', MS, 24_000],
    ])
    expect(audio[0]?.data.equals(speech)).toBe(true)
    expect(audio[1]).toMatchObject({ words: ANSWER, isCut: false })
    expect(audio[1]?.data.length).toBe(MS * 48)
  }
  expect(quiet.messages()).toHaveLength(4)
  expect(await keptAudio(quiet.session)).toEqual([])
})

test('[V93] an answer that is interrupted is kept as far as it was heard, and the rest of the line goes on', async () => {
  const { lines, pass } = await askingWorld(ANSWER)
  for (const { line, client } of lines) {
    client.onInterrupted = (item) => line.played(item, 600, true)
    await line.hear(bytesOf(voice(500)))
    line.endTurn()
  }
  await pass(300)
  for (const { line } of lines) await line.interrupt()
  await pass(1_000)
  for (const { session, messages } of lines) {
    expect(messages().at(-1)).toEqual(['assistant', 'One two', 'interrupted'])
    const audio = (await keptAudio(session)).find(({ role }) => role === 'assistant')
    expect([audio?.ms, audio?.data.length, audio?.words]).toEqual([600, 600 * 48, 'One two'])
  }
})

test('[V93] an interruption whose report takes its time keeps no more than was heard', async () => {
  const { lines, pass } = await askingWorld(ANSWER)
  const stopped: (() => void)[] = []
  for (const { line, client } of lines) {
    client.onInterrupted = (item) => stopped.push(() => line.played(item, 600, true))
    await line.hear(bytesOf(voice(500)))
    line.endTurn()
  }
  await pass(300)
  const interruptions = lines.map(({ line }) => line.interrupt())
  // Longer than a line waits before it looks again how much was heard.
  for (const ms of [200, 200]) await pass(ms)
  for (const report of stopped) report()
  await pass(1_000)
  await Promise.all(interruptions)
  for (const { session, messages } of lines) {
    expect(messages().at(-1)).toEqual(['assistant', 'One two', 'interrupted'])
    const audio = (await keptAudio(session)).filter(({ role }) => role === 'assistant')
    expect(audio.map(({ ms, words }) => [ms, words])).toEqual([[600, 'One two']])
  }
})

test('[V93] telephone audio is kept with the samples of a telephone, and a client that leaves has heard a part', async () => {
  const { lines, pass } = await askingWorld(ANSWER, { format: 'g711_ulaw' })
  for (const { line } of lines) {
    await line.hear(new Uint8Array(4_000).fill(0x9f))
    line.endTurn()
  }
  await pass(400)
  for (const { line } of lines) line.close()
  await pass(100)
  for (const { session } of lines) {
    const audio = await keptAudio(session)
    expect(audio.map(({ role, sampleRate }) => [role, sampleRate])).toEqual([
      ['user', 8_000],
      ['assistant', 8_000],
    ])
    expect(audio[0]?.ms).toBe(500)
    expect(audio[1]?.ms).toBeGreaterThan(0)
    expect(audio[1]?.ms).toBeLessThan(MS)
    expect(audio[1]?.data.length).toBe((audio[1]?.ms ?? 0) * 16)
  }
})

test('[V96] words of the line itself and speech without words are not kept', async () => {
  const world = cascadeWorld()
  world.stub.transcript = () => ''
  await world.host.send(key('a'), { type: 'create', opening: ASKING })
  const { line, client, session } = await world.open('a')
  await line.hear(bytesOf(voice(600), silence(800)))
  await world.pass(100)
  expect(client.codes).toEqual(['speech_not_understood'])
  world.stub.transcript = () => script({ error: 'broken' })
  await line.hear(bytesOf(voice(600), silence(800)))
  await world.pass(10_000)
  expect(client.items).toHaveLength(1)
  expect((await keptAudio(session)).map(({ role }) => role)).toEqual(['user'])
})
