// The engine of OpenHarness: everything of a request that is not the agent, beside the bare check of the same message.

import { acceptPrompt } from '@bridle/kernel/agent-info'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { httpWires } from '@bridle/surfaces/all'
import { createApp } from '@bridle/surfaces/app'
import { requestMessage } from '@bridle/wire/openharness/wire/messages'
import * as v from 'valibot'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'
import { clock, hostOn } from './world.ts'

const REQUESTS = 300
const MESSAGE_CHARS = 20_000
const BUDGET_US = 3_000

export const openharness = async (): Promise<BenchFigure[]> => {
  const store = memoryStore()
  const host = hostOn(store)
  const scripted = {
    name: 'scripted',
    engine: 'scripted',
    runnerKind: 'in_process',
    description: '',
    webhook: true,
    needs: null,
    accept: acceptPrompt,
  } as const
  const agents = new Map([['scripted', scripted]])
  const app = createApp(
    { host, directory: store.directory, clock, agents, defaultAgent: 'scripted', exposeAll: true },
    httpWires,
  )
  let sessions = 0
  const engine = async (): Promise<boolean> => {
    const answer = await app.fetch(
      new Request('http://127.0.0.1/v1/openharness', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: messageText(`s${sessions++}`),
      }),
    )
    return (await answer.text()).includes('"render_message"')
  }
  const check = async (): Promise<boolean> => v.is(requestMessage, JSON.parse(messageText(`s${sessions++}`)))
  const rounds = await interleave({
    engine: medianOf(engine),
    check: medianOf(check),
    budget: { run: async () => ({ value: BUDGET_US, verified: true }) },
  })
  return [
    figure(rounds, ['engine', 'budget'], {
      id: 'B8a',
      what: 'µs per request of 20 kB, p50: the engine, with a new session and a run that answers at once / 3 ms',
      target: 1,
      better: 'lower',
    }),
    figure(rounds, ['engine', 'check'], {
      id: 'B8b',
      what: 'µs per request of 20 kB, p50: the engine / parsing and checking its message',
      target: 40,
      better: 'lower',
    }),
  ]
}

/** The median time of one call in µs. */
const medianOf = (call: () => Promise<boolean>): BenchVariant => ({
  run: async () => {
    const times: number[] = []
    let verified = true
    for (let n = 0; n < REQUESTS; n++) {
      const started = performance.now()
      verified = (await call()) && verified
      times.push((performance.now() - started) * 1_000)
    }
    return { value: times.toSorted((a, b) => a - b)[REQUESTS / 2] ?? 0, verified }
  },
})

const filler = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [
    `com.example.key${index}`,
    { note: 'x'.repeat(MESSAGE_CHARS / 100 - 40) },
  ]),
)
const messageText = (session: string): string =>
  JSON.stringify({
    protocol_version: '1.0.0',
    request_id: `req-${session}`,
    capabilities: { 'openharness.ui.approval': true },
    request: {
      context: {
        session_id: session,
        user_intent: '@script [{"text":"Done."}]',
        shell: { shell_kind: 'im_bot', locale: 'en-US', timezone: 'Asia/Shanghai' },
        environment_state: { privacy_tier: 'restricted', os: 'macOS', active_window: 'Excel' },
        extensions: filler,
      },
    },
  })
