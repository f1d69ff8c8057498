// A host on a store, and long sessions made by the product itself: the scripted agent, the drain, the log.
import { createHash } from 'node:crypto'
import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { isRefusal } from '@bridle/kernel/commands'
import { Host } from '@bridle/kernel/host/host'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Log } from '@bridle/kernel/ports/log'
import type { EventLoop } from '@bridle/kernel/session/reading/read-scheduler'
import { runOutcome } from '@bridle/kernel/session/run-outcome'

export const clock = {
  now: () => Date.now(),
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
export const digest = async (text: string) => createHash('sha256').update(text).digest('hex')

export const hostOn = (store: { log: Log; directory: Directory }, tokenPaceMs = 0, eventLoop?: EventLoop): Host => {
  const runner = scriptedRunner({ clock, digest })
  return new Host({
    log: store.log,
    directory: store.directory,
    clock,
    digest,
    runner: () => runner,
    tokenPaceMs,
    ...(eventLoop && { eventLoop }),
  })
}

export const keyOf = (id: string) => ({ tenant: 'bench', agent: 'scripted', id })

/** Turns of `tokens` words in `chunks` token events each, until the log has at least `events`. */
export const fill = async (host: Host, id: string, events: number, tokens: number, chunks = tokens): Promise<void> => {
  const text = Array.from({ length: tokens }, (_, index) => `w${index % 100} `).join('')
  const prompt = `@script ${JSON.stringify([{ text, chunks }])}`
  for (;;) {
    const answer = await host.send(keyOf(id), { type: 'submit', prompt })
    if (isRefusal(answer)) throw new Error(answer.message)
    const session = await host.open(keyOf(id))
    await runOutcome(session, String(answer.runId), Number(answer.seq) - 1)
    if (session.state.head >= events) return
  }
}
