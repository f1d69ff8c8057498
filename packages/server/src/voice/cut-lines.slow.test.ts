// Connections that end at any moment: `npm run test:long` plays many seeds.
import { afterEach, describe, expect, test } from 'vitest'
import { rotatingTenth } from '../../../../scripts/variants.ts'
import { CutWorld, Speaker } from './cut-lines.suite.ts'

let world: CutWorld | null = null
afterEach(async () => {
  await world?.close()
  world = null
})

const seeds = rotatingTenth(Array.from({ length: 40 }, (_, index) => index + 1))

describe('[V90] whatever is cut, the conversation is kept and goes on', () => {
  test.each(seeds)('three sessions, seed %i', async (seed) => {
    world = await CutWorld.start(seed)
    const speakers = ['a', 'b', 'c'].map((id) => new Speaker(world as CutWorld, id))
    await Promise.all(
      speakers.map(async (speaker) => {
        for (const name of ['one', 'two', 'three']) {
          const before = await speaker.events()
          await speaker.turn(name)
          // The log only grows.
          expect((await speaker.events()).slice(0, before.length)).toEqual(before)
        }
      }),
    )
    world.calm()
    for (const speaker of speakers) {
      await speaker.turn('four')
      await speaker.catchUp()
      const messages = await speaker.messages()
      const prompts = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
      // Each prompt was said, whole, and is there once.
      expect(prompts.filter((text) => !speaker.said.has(text))).toEqual([])
      expect(new Set(prompts).size).toBe(prompts.length)
      for (const name of ['one', 'two', 'three', 'four'])
        expect(prompts.some((text) => text.startsWith(`${speaker.key.id} ${name} `))).toBe(true)
      // Every transcript that the speaker was ever told is that of the log.
      for (const { messageId, text } of speaker.transcripts.values())
        expect(messages.find(({ id }) => id === messageId)?.content).toBe(text)
      expect(speaker.transcripts.size).toBe(messages.length)
      // The provider was told all of it before its last answer.
      // An answer that failed, or of which nothing was heard, is nothing that was said.
      const told = messages.slice(0, -1).filter(({ content, status }) => status !== 'error' && content.trim() !== '')
      const last = world.conversations.findLast((words) => words.at(-1)?.endsWith(prompts.at(-1) ?? '')) ?? []
      expect(last).toHaveLength(told.length)
      for (const [index, { role, content, stopReason }] of told.entries()) {
        // A prompt after an interruption has a note before it. The provider keeps the words of audio that it was told to shorten.
        if (role === 'user') expect(last[index]?.split('|').at(-1)).toBe(content)
        else if (stopReason === 'interrupted') expect(last[index]).toContain(content.trim())
        else expect(last[index]).toBe(content)
      }
    }
    expect(new Set(world.calls).size).toBe(world.calls.length)
  })
})
