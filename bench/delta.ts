// Operations: applying them, and what they cost on the wire.

import { isRefusal } from '@bridle/kernel/commands'
import { applyOperations } from '@bridle/kernel/delta'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { runOutcome } from '@bridle/kernel/session/run-outcome'
import type { Session } from '@bridle/kernel/session/session'
import type { Listener } from '@bridle/kernel/session/subscribers'
import { deltaFeedOf } from '@bridle/surfaces/transport/delta-feed'
import { AssistantTransportDeltaTracker } from 'assistant-stream'
import { fetchPackage } from './fetched.ts'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'
import { clock, hostOn, keyOf } from './world.ts'

const MESSAGES = 2_000
const PATH = ['messages', String(MESSAGES - 1), 'content']
type MessageState = { messages: { id: string; content: string }[] }

export const delta = async (): Promise<BenchFigure[]> => [
  ...(await applying()),
  ...(await replying()),
  ...(await onTheWire()),
  ...(await snapshots()),
]

/** The usual case: 200 messages, a reply of 1,000 tokens. */
const replying = async (): Promise<BenchFigure[]> => {
  const path = ['messages', '199', 'content']
  const thread = (): MessageState => ({ messages: initial().messages.slice(0, 200) })
  const reply = (append: (state: MessageState, text: string) => MessageState): BenchVariant => ({
    run: async () => {
      const times = 200
      let verified = true
      const started = performance.now()
      for (let time = 0; time < times; time++) {
        let state = thread()
        for (let n = 0; n < 1_000; n++) state = append(state, 'word ')
        verified &&= state.messages[199]?.content.length === 5_400
      }
      return { value: ((performance.now() - started) * 1e6) / times / 1_000, verified }
    },
  })
  const rounds = await interleave({
    'copy on write': reply((state, text) => applyOperations(state, [{ type: 'append-text', path, value: text }])),
    'in place': reply((state, text) => appendInPlace(state, path, text)),
  })
  const about = { id: 'B4c', what: 'ns per token of a reply in a thread of 200: copy on write / in place', target: 5 }
  return [figure(rounds, ['copy on write', 'in place'], { ...about, better: 'lower' })]
}

const appendInPlace = (state: MessageState, path: readonly string[], text: string): MessageState => {
  let node = state as unknown as Record<string, unknown>
  for (const name of path.slice(0, -1)) node = node[name] as Record<string, unknown>
  const last = path.at(-1) ?? ''
  node[last] = `${node[last]}${text}`
  return state
}

const applying = async (): Promise<BenchFigure[]> => {
  const immer = await fetchPackage<{ produce: <T>(state: T, change: (draft: T) => void) => T }>('immer@11.2.10')
  const patch = await fetchPackage<{
    applyPatch: (
      state: MessageState,
      patch: object[],
      validate: boolean,
      mutate: boolean,
    ) => { newDocument: MessageState }
  }>('fast-json-patch@3.1.1')
  const variants: Record<string, BenchVariant> = {
    ours: appending(100_000, (state, text) =>
      applyOperations(state, [{ type: 'append-text', path: PATH, value: text }]),
    ),
    'ours, 1,000 appends': appending(1_000, (state, text) =>
      applyOperations(state, [{ type: 'append-text', path: PATH, value: text }]),
    ),
    'assistant-stream': { run: async () => tracked(100_000) },
    ...(immer && {
      immer: appending(1_000, (state, text) =>
        immer.produce(state, (draft) => {
          const message = draft.messages[MESSAGES - 1]
          if (message) message.content += text
        }),
      ),
    }),
    ...(patch && {
      'fast-json-patch': appending(1_000, (state, text) => {
        const content = (state.messages[MESSAGES - 1]?.content ?? '') + text
        return patch.applyPatch(state, [{ op: 'replace', path: `/${PATH.join('/')}`, value: content }], false, false)
          .newDocument
      }),
    }),
  }
  const rounds = await interleave(variants)
  const against = (id: string, rival: string, target: number, what: string): BenchFigure[] =>
    rival in variants ? [figure(rounds, ['ours', rival], { id, what, target, better: 'lower' })] : []
  return [
    ...against('D1', 'assistant-stream', 1, 'ns per append to a long message among 2,000: ours / assistant-stream'),
    ...against('D2', 'immer', 1, 'the same / immer'),
    ...against('D3', 'fast-json-patch', 1, 'the same / fast-json-patch, immutable'),
    ...against('D4', 'ours, 1,000 appends', 1.5, 'ns per append at 100,000 appends / at 1,000'),
  ]
}

/** Nanoseconds per append, one operation per batch; the text is read at the end, so ropes pay for themselves. */
const appending = (times: number, append: (state: MessageState, text: string) => MessageState): BenchVariant => ({
  run: async () => {
    let state = initial()
    const started = performance.now()
    for (let n = 0; n < times; n++) state = append(state, 'word ')
    const length = state.messages[MESSAGES - 1]?.content.length
    return { value: ((performance.now() - started) * 1e6) / times, verified: length === times * 5 }
  },
})

const tracked = (times: number): { value: number; verified: boolean } => {
  const tracker = new AssistantTransportDeltaTracker(initial() as never)
  const started = performance.now()
  for (let n = 0; n < times; n++) tracker.append([{ type: 'append-text', path: PATH, value: 'word ' }])
  const { messages } = tracker.state as unknown as MessageState
  return {
    value: ((performance.now() - started) * 1e6) / times,
    verified: messages[MESSAGES - 1]?.content.length === times * 5,
  }
}

const initial = (): MessageState => ({
  messages: Array.from({ length: MESSAGES }, (_, index) => ({
    id: `m-${index}`,
    content: index === MESSAGES - 1 ? '' : 'x'.repeat(400),
  })),
})

const onTheWire = async (): Promise<BenchFigure[]> => {
  const rounds = await interleave({
    'bytes of 2,000 tokens': { run: () => streamed(2_000, 0) },
    'bytes of 1,000 tokens': { run: () => streamed(1_000, 0) },
    'bytes at 16 ms': { run: () => streamed(1_000, 16) },
  })
  return [
    figure(rounds, ['bytes of 2,000 tokens', 'bytes of 1,000 tokens'], {
      id: 'B4a',
      what: 'wire bytes of a 2,000-token reply / of a 1,000-token one',
      target: 2.05,
      better: 'lower',
    }),
    figure(rounds, ['bytes at 16 ms', 'bytes of 1,000 tokens'], {
      id: 'B4b',
      what: 'wire bytes of a reply at 1,000 tokens a second, paced at 16 ms / one delta per token',
      target: 0.15,
      better: 'lower',
    }),
  ]
}

/** Bytes that one client gets while a reply streams; every token is let out by itself, so the pace alone merges. */
const streamed = async (tokens: number, tokenPaceMs: number): Promise<{ value: number; verified: boolean }> => {
  const host = hostOn(memoryStore(), tokenPaceMs)
  const session = await host.open(keyOf('wire'))
  let bytes = 0
  const watcher = watch(session, (message) => {
    // The prompt is the script, with the whole reply in it: what counts is the reply.
    if (message.includes('"append-text"')) bytes += Buffer.byteLength(message)
  })
  const text = 'hello '.repeat(tokens)
  const prompt = `@script ${JSON.stringify([{ text, chunks: tokens, everyMs: 1 }])}`
  await ask(host, 'wire', prompt)
  watcher.unsubscribe()
  const verified = session.state.conversation.messages[1]?.content === text
  await host.stop()
  return { value: bytes, verified }
}

const snapshots = async (): Promise<BenchFigure[]> => {
  const store = memoryStore()
  const maker = hostOn(store)
  for (let turn = 0; turn < MESSAGES / 2; turn++) {
    await ask(maker, 'long', `@script ${JSON.stringify([{ text: 'word '.repeat(80) }])}`)
    if (turn < 100) await ask(maker, 'short', `@script ${JSON.stringify([{ text: 'word '.repeat(80) }])}`)
  }
  await maker.stop()
  const open = (id: string, messages: number): BenchVariant => ({
    run: async () => {
      const host = hostOn(store)
      const before = process.cpuUsage()
      const session = await host.open(keyOf(id))
      let message = ''
      const watcher = watch(session, (text) => {
        message = text
      })
      const { user, system } = process.cpuUsage(before)
      watcher.unsubscribe()
      await host.stop()
      const { state } = JSON.parse(message) as { state: MessageState }
      return { value: (user + system) / 1_000, verified: state.messages.length === messages }
    },
  })
  const limitMs: BenchVariant = { run: async () => ({ value: 200, verified: true }) }
  const rounds = await interleave({
    'ms at 2,000 messages': open('long', MESSAGES),
    'ms at 200 messages': open('short', 200),
    'limit (ms)': limitMs,
  })
  return [
    figure(rounds, ['ms at 2,000 messages', 'limit (ms)'], {
      id: 'D5',
      what: 'CPU to open a session of 2,000 messages and encode its snapshot / 200 ms',
      target: 1,
      better: 'lower',
    }),
    figure(rounds, ['ms at 2,000 messages', 'ms at 200 messages'], {
      id: 'D6',
      what: 'the same at 2,000 messages / at 200 messages',
      target: 12,
      better: 'lower',
    }),
  ]
}

const watch = (session: Session, take: (text: string) => void): { readonly unsubscribe: () => void } => {
  const feed = deltaFeedOf(session, clock)
  const listener: Listener = { audience: feed.audience, send: take, unsent: () => 0, close: () => {} }
  for (const { messages } of feed.messagesSince(null)) take(messages[0])
  feed.subscribe(listener)
  return { unsubscribe: () => feed.unsubscribe(listener) }
}

const ask = async (host: ReturnType<typeof hostOn>, id: string, prompt: string): Promise<void> => {
  const answer = await host.send(keyOf(id), { type: 'submit', prompt })
  if (isRefusal(answer)) throw new Error(answer.message)
  await runOutcome(await host.open(keyOf(id)), String(answer.runId), Number(answer.seq) - 1)
}
