// Text, thoughts and events of durable functions that begin again.
import { describe, expect, test } from 'vitest'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('shop', 's1'), keyOf('shop', 's2'), keyOf('poet', 's3')]
const poet: AgentFunction = ({ session }) => session.approval({ subject: 'publish', reason: 'The world will read it.' })

describe('what was said', () => {
  test('[N52] is not said twice; what is said otherwise replaces the rest', async () => {
    const speaking =
      (...pieces: readonly string[]): AgentFunction =>
      async ({ session }) => {
        await session.thinking('Let me see. ')
        for (const piece of pieces) await session.text(piece)
        await session.emit('my_event', { n: 1 })
        await session.emit('my_event', { n: 1 })
        await session.checkpoint('half way')
        await session.artifact('notes.md', '# Notes')
        await session.usage({ inputTokens: 3 })
        await session.approval({ subject: 'end', reason: 'Enough?' })
        await session.text('.')
      }
    let process = new DurableProcess(defineAgents({ shop: speaking('Hello ', 'world'), poet }))
    for (const key of [one, two, three]) await process.submit(key, 'x')
    await process.approval(one)
    process = await process.next({ agents: defineAgents({ shop: speaking('Hell', 'o wor', 'ld'), poet }) })
    await process.approve(one)
    await process.idle(one)
    expect(await process.results(one)).toEqual(['Hello world.'])
    expect((await process.payloads(one, 'token')).map(({ text }) => text)).toEqual(['Hello ', 'world', '.'])
    expect(await process.payloads(one, 'output_superseded')).toEqual([])
    for (const type of ['thinking', 'session_checkpoint', 'usage'])
      expect(await process.payloads(one, type)).toHaveLength(1)
    expect(await process.payloads(one, 'artifact_published')).toMatchObject([{ name: 'notes.md' }])
    expect(await process.payloads(one, 'custom_event')).toHaveLength(2)

    await process.approval(two)
    process = await process.next({ agents: defineAgents({ shop: speaking('Hello ', 'there, world'), poet }) })
    await process.approve(two)
    await process.idle(two)
    expect(await process.results(two)).toEqual(['Hello there, world.'])
    const { messages } = (await process.host.open(two)).state.conversation
    expect(messages.at(-1)?.content).toBe('Hello there, world.')

    await process.submit(one, 'again')
    await process.approval(one)
    process = await process.next({ agents: defineAgents({ shop: speaking('Hello '), poet }) })
    await process.approve(one)
    await process.idle(one)
    expect((await process.results(one)).at(-1)).toBe('Hello .')
  })

  test('[N52] text that a function does not say again is withdrawn at its end; text inside a call stays', async () => {
    const speaking =
      (last: string): AgentFunction =>
      async ({ session }) => {
        await session.text('a ')
        await session.tool('talk', {}, async () => {
          await session.text('b ')
          return 1
        })
        await session.approval({ subject: 'end', reason: 'Enough?' })
        await session.text(last)
      }
    const lines = ['c ', '']
    const results = []
    for (const last of lines) {
      let process = new DurableProcess(defineAgents({ shop: speaking(last), poet }))
      await process.submit(one, 'x')
      await process.approval(one)
      process = await process.next()
      await process.approve(one)
      await process.idle(one)
      results.push(...(await process.results(one)))
    }
    expect(results).toEqual(['a b c ', 'a b '])
  })

  test('[N52] thoughts that differ replace those in the log', async () => {
    const thinking =
      (...thoughts: readonly string[]): AgentFunction =>
      async ({ session }) => {
        for (const thought of thoughts) await session.thinking(thought)
        await session.text('So.')
        await session.approval({ subject: 'end', reason: 'Enough?' })
      }
    let process = new DurableProcess(defineAgents({ shop: thinking('one ', 'two '), poet }))
    await process.submit(one, 'x')
    await process.approval(one)
    process = await process.next({ agents: defineAgents({ shop: thinking('one ', 'three '), poet }) })
    await process.approve(one)
    await process.idle(one)
    const { messages } = (await process.host.open(one)).state.conversation
    const parts = messages.at(-1)?.parts ?? []
    const thoughts = parts.flatMap((part) => (part.type === 'reasoning' && !part.superseded ? [part.text] : []))
    expect(thoughts.join('')).toBe('one three ')
    expect(messages.at(-1)?.content).toBe('So.')
  })
})
