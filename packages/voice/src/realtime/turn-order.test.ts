// Turns that the provider has as audio before anybody knows their words.
import { afterEach, describe, expect, test } from 'vitest'
import { eventually, VoiceWorld, voice } from '../voice-world.suite.ts'
import { OpenAIConversation } from './openai/conversation.ts'
import { assistantItem, conversationItems } from './openai/items.ts'
import type { StubEvent } from './openai/realtime-stub.suite.ts'

const worlds: VoiceWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

const words = ({ content = [] }: StubEvent): string =>
  (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript).join('|')

describe('[V49] a turn whose words come late', () => {
  test('is not heard in the answer to an earlier prompt, and stands behind it: three sessions', async () => {
    const { promise: heardAfter, resolve: writeDown } = Promise.withResolvers<void>()
    const conversations: string[][] = []
    let turns = 0
    const world = await VoiceWorld.start({
      plan: (n, _session, items) => {
        if (items.length > 0 && words(items.at(-1) ?? {}) !== '') conversations.push(items.map(words))
        turns += 1
        return { heard: `spoken ${turns}`, heardAfter, says: `Answer ${n}.` }
      },
    })
    worlds.push(world)
    const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
    for (const { line } of lines) {
      line.hear(voice(200))
      line.endTurn()
    }
    await eventually(() => expect(world.stub.events('input_audio_buffer.commit')).toHaveLength(3))
    for (const { line } of lines) await line.say('written')
    for (const { key } of lines) expect((await world.talk(key))[0]).toBe('user: written')
    expect(conversations).toEqual([])
    writeDown()
    const spoken = (text: string) => text.replace(/\d/, 'n')
    for (const { key } of lines) {
      await world.rested(key, 4)
      expect((await world.talk(key)).map((text, index) => (index === 2 ? spoken(text) : text))).toEqual([
        ...['user: written', 'assistant: Answer 0.', 'user: spoken n', 'assistant: Answer 1.'],
      ])
    }
    expect(conversations.map((texts) => [...texts.slice(0, 2), ...texts.slice(2).map(spoken)])).toEqual([
      ...Array(3).fill(['written']),
      ...Array(3).fill(['written', 'Answer 0.', 'spoken n']),
    ])
  })

  test('that slips in ahead of an answer comes again as text', () => {
    const conversation = new OpenAIConversation()
    const request = (...texts: string[]) =>
      conversationItems(texts.map((text) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })))
    conversation.update(request('first'))
    conversation.addAudio('late')
    conversation.addAnswer('answer', assistantItem('One.').print)
    conversation.addAudio('later')
    for (const id of ['late', 'later']) conversation.addTurn(id, `${id} words`)
    const [first, late, later] = request('first', 'late words', 'later words')
    const events = conversation.update([first!, assistantItem('One.'), late!, later!])
    expect(events.map(({ type, item_id }) => [type, item_id])).toEqual([
      ['conversation.item.delete', 'late'],
      ['conversation.item.create', undefined],
    ])
  })
})
