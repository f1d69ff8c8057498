// A spoken conversation is a session like any other: it is branched, and its cost counts.

import { isRefusal } from '@bridle/kernel/commands'
import { statusOf } from '@bridle/kernel/projections/state'
import { afterEach, expect, test } from 'vitest'
import { eventually, VoiceWorld, voice } from '../voice-world.suite.ts'
import type { StubEvent } from './openai/realtime-stub.suite.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})
const wordsOf = ({ content = [] }: StubEvent): string =>
  (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript ?? '').join('|')
const IDS = ['a', 'b', 'c']
const speak = ({ line }: { readonly line: { hear(audio: Uint8Array): unknown; endTurn(): void } }) => {
  line.hear(voice(200))
  line.endTurn()
}

test('[V10] a branch of a spoken conversation is spoken on with, and its parent does not change: three sessions', async () => {
  const conversations: string[][] = []
  const world = await VoiceWorld.start({
    plan: (_n, _session, items) => {
      conversations.push(items.map(wordsOf))
      return { heard: `turn ${items.length}`, says: `Answer ${items.length}.` }
    },
  })
  worlds.push(world)
  const lines = await Promise.all(IDS.map((id) => world.open(id)))
  for (const each of lines) speak(each)
  for (const { key } of lines) await world.rested(key, 2)
  const before = await Promise.all(lines.map(({ key }) => world.talk(key)))
  for (const { key } of lines) {
    const { state } = await world.host.open(key)
    expect(isRefusal(await world.host.branch(key, state.head, `${key.id}-branch`))).toBe(false)
  }
  const branches = await Promise.all(IDS.map((id) => world.open(`${id}-branch`)))
  for (const each of branches) speak(each)
  for (const [index, { key }] of branches.entries()) {
    await world.rested(key, 4)
    expect((await world.talk(key)).slice(0, 2)).toEqual(before[index])
  }
  expect(await Promise.all(lines.map(({ key }) => world.talk(key)))).toEqual(before)
  // The provider of the branch was told the conversation of its parent.
  const told = conversations.filter((words) => words.length === 3)
  expect(told.map((words) => words.slice(0, 2))).toEqual(Array(3).fill(['turn 0', 'Answer 1.']))
})

test('[V18] spoken turns count against the budget of their session, and others are not stopped', async () => {
  const world = await VoiceWorld.start({ plan: () => ({ heard: 'hello', says: 'Hi.' }) })
  worlds.push(world)
  const lines = await Promise.all(
    IDS.map((id) =>
      // Each response of the provider has 30 tokens.
      world.open(id, { opening: { policy: { health: { max_total_tokens: id === 'b' ? 40 : 4_000 } } } }),
    ),
  )
  for (const messages of [2, 4]) {
    for (const each of lines) speak(each)
    for (const { key } of lines)
      await eventually(async () => expect((await world.messages(key)).length).toBeGreaterThanOrEqual(messages))
  }
  // The next turn begins over the budget: somebody has to decide about it.
  for (const each of lines) speak(each)
  const statuses = async () => Promise.all(lines.map(async ({ key }) => statusOf((await world.host.open(key)).state)))
  await eventually(async () => expect(await statuses()).toEqual(['idle', 'awaiting_approval', 'idle']))
})
