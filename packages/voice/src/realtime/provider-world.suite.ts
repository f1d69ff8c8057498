// Contract of a realtime provider. Each provider has a world in which its service says what a test plans.

import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import { clock } from '@bridle/system/system-ports'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventually, silence, TestClient, type VoiceWorld, voice, type WorldOptions } from '../voice-world.suite.ts'
import type { StubTurn } from './openai/realtime-stub.suite.ts'
import type { ProviderAccess, RealtimeProvider } from './provider.ts'
import { writtenModel } from './written-answers.ts'

/** A turn of the conversation, as the service of any provider plays it. */
export type PlannedTurn = Pick<StubTurn, 'heard' | 'says' | 'call' | 'chunkMs' | 'dropsAfter'>

export interface ProviderWorldOptions extends Pick<WorldOptions, 'agents'> {
  /** The turn for the n-th response of a connection. `history`: the texts that the provider has. */
  readonly plan?: (n: number, history: readonly string[]) => PlannedTurn
  readonly isKeyWrong?: boolean
}

export interface ProviderWorld {
  readonly world: VoiceWorld
  readonly access: ProviderAccess
  /** Ends every connection. */
  drop(): void
}

export const describeProvider = (
  provider: RealtimeProvider,
  startWorld: (options: ProviderWorldOptions) => Promise<ProviderWorld>,
): void => {
  const worlds: ProviderWorld[] = []
  const start = async (options: ProviderWorldOptions = {}) => {
    const world = await startWorld(options)
    worlds.push(world)
    return world
  }
  afterEach(async () => {
    for (const { world } of worlds.splice(0)) await world.close()
  })
  const speak = ({ line }: { readonly line: { hear(audio: Uint8Array): unknown; endTurn(): void } }) => {
    line.hear(voice(200))
    line.endTurn()
  }

  describe(`a line through ${provider.label}`, () => {
    test('[V10] [V11] [V18] three sessions: spoken turns are runs, and the provider knows the written one between them', async () => {
      const histories: (readonly string[])[] = []
      const { world } = await start({
        plan: (n, history) => {
          histories.push(history)
          return { heard: `spoken ${n}`, says: `I heard you, turn ${n}.` }
        },
      })
      const lines = await Promise.all(['a', 'b', 'c'].map((id) => world.open(id)))
      expect(lines.map(({ line: { model, voice: name } }) => [model, name])).toEqual(
        Array(3).fill([provider.defaultModel, provider.defaultVoice]),
      )
      for (const each of lines) speak(each)
      for (const { key } of lines) await world.rested(key, 2)
      for (const { key } of lines) await world.write(key, `typed in ${key.id}`)
      for (const { key } of lines) await world.rested(key, 4)
      for (const each of lines) speak(each)
      for (const { key, client } of lines) {
        await world.rested(key, 6)
        const talk = ['spoken 0', 'I heard you, turn 0.', `typed in ${key.id}`, 'Written, not spoken.', 'spoken 1']
        expect((await world.messages(key)).map(({ content }) => content)).toEqual([...talk, 'I heard you, turn 1.'])
        expect(histories).toContainEqual(talk)
        expect([client.bytes, client.faults]).toEqual([2 * 5 * 4800, []])
        const usages = (await world.events(key)).flatMap((event) => (event.type === 'usage' ? [event.payload] : []))
        expect(usages.filter(({ model }) => model === provider.defaultModel)).toMatchObject(
          Array(2).fill({ input_tokens: 20, output_tokens: 10 }),
        )
      }
    })

    test('[V16] a pause ends a turn, and a text on the line is answered aloud', async () => {
      const { world } = await start({ plan: (n) => ({ heard: 'hello there', says: `Answer ${n}.` }) })
      const { line, client, key } = await world.open('a', { turns: 'silence' })
      for (const piece of [silence(500), voice(300), silence(400), voice(100), silence(400), silence(300)])
        line.hear(piece)
      await world.rested(key, 2)
      await line.say('and in writing')
      await world.rested(key, 4)
      expect(await world.talk(key)).toEqual([
        ...['user: hello there', 'assistant: Answer 0.', 'user: and in writing', 'assistant: Answer 1.'],
      ])
      expect(client.speeches).toEqual(['started', 'stopped'])
    })

    test('[V12] the log and the provider keep what was heard of an interrupted answer', async () => {
      const histories: (readonly string[])[] = []
      const { world } = await start({
        plan: (n, history) => {
          histories.push(history)
          return { heard: 'count', says: n === 0 ? 'one two three four five six seven eight' : 'Hi.', chunkMs: 20 }
        },
      })
      const client = new TestClient()
      client.isFast = false
      const { line, key } = await world.open('a', {}, client)
      client.onInterrupted = (item) => line.played(item, 250, true)
      speak({ line })
      await eventually(() => expect(client.bytes).toBeGreaterThan(3 * 4800))
      await line.say('stop')
      await world.rested(key, 4)
      const [, answer] = await world.messages(key)
      expect([answer?.content, answer?.stopReason]).toEqual(['one two', 'interrupted'])
      expect(histories.at(-1)?.some((text) => text.includes('eight'))).toBe(false)
    })

    test('[V13] [V113] a call waits for its approval, the line announces it, and the answer follows from its result', async () => {
      const run = vi.fn(async () => 'on')
      const careful = agent({
        name: 'talker',
        model: scriptedModel(() => ({ text: 'Written, not spoken.' })),
        tools: [tool({ name: 'light', description: 'Switches the light.', approve: true, run })],
      })
      const { world } = await start({
        agents: [careful],
        plan: (n) => (n === 0 ? { heard: 'light', call: { name: 'light' } } : { says: 'It is on.' }),
      })
      const opened = await world.open('a')
      speak(opened)
      await eventually(() => expect(opened.client.bytes).toBeGreaterThan(0))
      expect(run).not.toHaveBeenCalled()
      const { state } = await world.host.open(opened.key)
      const approvalId = state.conversation.approvals?.[0]?.id ?? ''
      await world.host.send(opened.key, { type: 'approve', approvalId, decision: 'approved' })
      await world.rested(opened.key, 2)
      expect([await world.talk(opened.key), run.mock.calls.length]).toEqual([
        ['user: light', 'assistant: It is on.'],
        1,
      ])
    })

    test('[V47] an answer whose connection breaks continues behind the words that were sent', async () => {
      let breaks = 0
      const { world } = await start({
        plan: (_n, history) => {
          if (history.length === 0) return { heard: 'count' }
          breaks += 1
          return breaks === 1 ? { says: 'one two three four', dropsAfter: 2 } : { says: 'three four' }
        },
      })
      const opened = await world.open('a')
      speak(opened)
      await world.rested(opened.key, 2)
      expect(await world.talk(opened.key)).toEqual(['user: count', 'assistant: one two three four'])
      expect([opened.client.faults, opened.client.interruptions]).toEqual([[], []])
    })

    test('[V50] a typed prompt is answered in writing', async () => {
      const { access } = await start({ plan: () => ({ says: 'In so many words.' }) })
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
      const { stream } = await writtenModel(access, clock).doStream({ prompt })
      const parts: { readonly type: string; readonly delta?: string }[] = []
      for await (const part of stream as AsyncIterable<{ readonly type: string; readonly delta?: string }>)
        parts.push(part)
      expect(parts.map(({ delta = '' }) => delta).join('')).toBe('In so many words.')
      expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } })
    })

    test('[V15] [V19] faults: a provider lost in a turn, a turn without audio, and a key that is refused', async () => {
      const { world, drop } = await start({ plan: () => ({ heard: 'hello', says: 'Hi.' }) })
      const { line, key, client } = await world.open('a')
      line.hear(voice(200))
      drop()
      await eventually(() => expect(client.faults).toMatchObject([{ code: 'provider_lost', isFinal: false }]))
      line.endTurn()
      line.endTurn()
      expect(client.faults.at(-1)).toMatchObject({ code: 'turn_empty' })
      speak({ line })
      await world.rested(key, 2)
      expect(await world.talk(key)).toEqual(['user: hello', 'assistant: Hi.'])

      const refused = await start({ isKeyWrong: true })
      expect((await refused.world.dial('a')).line).toMatchObject({
        code: 'provider_key',
        message: expect.stringContaining(provider.keyVariable),
      })
    })
  })
}
