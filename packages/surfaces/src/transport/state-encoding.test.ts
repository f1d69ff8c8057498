import type { HarnessMessage, HarnessState } from '@bridle/kernel/projections/harness-state'
import { expect, test, vi } from 'vitest'
import { encodeMessage } from './codec.ts'
import { ENCODED_PAGE_CHARS, StateEncoder } from './state-encoding.ts'

const message = (id: number, chars: number): HarnessMessage => ({
  ...{ id: String(id), role: 'assistant', content: '"ü🙂\n'.padEnd(chars, 'x'), status: 'complete' },
})
const stateOf = (messages: HarnessMessage[]): HarnessState => ({ status: 'idle', messages, sessionStatus: 'idle' })

const encodeState = (state: HarnessState, seq: number, incarnation: number): string =>
  encodeMessage({ type: 'state', state, seq, ...(incarnation !== 1 && { incarnation }) })

test.each<[string, HarnessState, number]>([
  ['an empty one', { status: 'idle', messages: [] }, 1],
  [
    'fields without a value',
    { status: 'error', messages: [message(1, 5)], error: undefined, approvals: [] } as never,
    1,
  ],
  ['another incarnation', { ...stateOf([message(1, 5), message(2, 7)]), error: 'It says "messages":[].' }, 3],
])('[T31] the text of a state is that of the wire: %s', async (_name, state, incarnation) => {
  const encoder = new StateEncoder()
  for (let times = 0; times < 2; times++)
    expect(encoder.encode(state, 7, incarnation)).toBe(encodeState(state, 7, incarnation))
})

test('[T31] a long conversation is encoded in pages, and each message once for all clients', async () => {
  const messages = Array.from({ length: 40 }, (_, index) => message(index, ENCODED_PAGE_CHARS / 4))
  const encoder = new StateEncoder()
  const stringify = vi.spyOn(JSON, 'stringify')
  const encodedIn: number[] = []
  const encoded = () => stringify.mock.calls.filter(([value]) => (value as HarnessMessage | null)?.role).length
  await encoder.prepare(stateOf(messages), async (step) => {
    const before = encoded()
    const done = await step()
    encodedIn.push(encoded() - before)
    return done
  })
  expect(encodedIn).toEqual(Array(9).fill(4))
  // A new message and a changed one: the rest is known.
  const last = { ...(messages.at(-1) as HarnessMessage), status: 'streaming' } as const
  const state = stateOf([...messages.slice(0, -1), last, message(40, 10)])
  const text = encoder.encode(state, 9, 1)
  expect(encoded()).toBe(42)
  stringify.mockRestore()
  expect(text).toBe(encodeState(state, 9, 1))
})
