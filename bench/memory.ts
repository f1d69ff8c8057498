// The memory of a loaded session: 200 messages of about 480 bytes each, as the host keeps them.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Session } from '@bridle/kernel/session/session'
import { type BenchFigure, figure, interleave } from './figure.ts'
import { fill, hostOn, keyOf } from './world.ts'

const LIMIT_BYTES = 200_000
const SESSIONS = 40

export const memory = async (): Promise<BenchFigure[]> => {
  setFlagsFromString('--expose_gc')
  const gc = runInNewContext('gc') as () => void
  const store = memoryStore()
  const maker = hostOn(store)
  // 100 turns of a prompt and an answer; the prompt is the script, the answer its text.
  for (let n = 0; n < SESSIONS; n++) for (let turn = 1; turn <= 100; turn++) await fill(maker, `s${n}`, 1, 60)
  await maker.stop()

  const rounds = await interleave({
    'bytes per session': {
      run: async () => {
        const host = hostOn(store)
        gc()
        const before = process.memoryUsage().heapUsed
        const sessions: Session[] = []
        for (let n = 0; n < SESSIONS; n++) sessions.push(await host.open(keyOf(`s${n}`)))
        gc()
        const value = (process.memoryUsage().heapUsed - before) / SESSIONS
        const verified = sessions.every(({ state }) => state.conversation.messages.length === 200)
        await host.stop()
        return { value, verified }
      },
    },
    'limit (bytes)': { run: async () => ({ value: LIMIT_BYTES, verified: true }) },
  })
  return [
    figure(rounds, ['bytes per session', 'limit (bytes)'], {
      id: 'M1',
      what: 'heap of a loaded session with 200 messages / 200 kB',
      target: 1,
      better: 'lower',
    }),
  ]
}
