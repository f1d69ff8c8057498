// A server that was stopped while another took its folder: from then on none of its answers may count.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '@bridle/server/tests/server-process.suite'
import { PATIENCE_MS } from './command.ts'
import { request } from './http.ts'
import type { CrashWorld } from './world.ts'

let probes = 0

/** Continues the deposed server, and sends it commands that it must refuse. */
export const checkDeposed = async (world: CrashWorld, old: ServerProcess): Promise<void> => {
  const { tally } = world
  old.signal('SIGCONT')
  const asked = ['one', 'two', 'three'].map(() => `deposed-${++probes}`)
  for (const id of asked) {
    const there = { ...world.placeOf('ada', id), url: () => old.url }
    const answer = await request(there, `/agents/scripted/${id}`, { body: { prompt: 'Hello' }, key: id })
    tally.check('4', answer === null || answer.status >= 400, () => `the deposed server answered ${answer?.status}`)
  }
  for (const id of asked) {
    const answer = await request(world.placeOf('ada', id), `/sessions/${id}`)
    tally.check('4', answer?.status === 404, () => `${id} of the deposed server is in the log (${answer?.status})`)
  }
  let ready: number | undefined
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && ready !== 503; await sleep(50))
    ready = (await request({ ...world.placeOf('ada', ''), url: () => old.url }, '/ready'))?.status ?? 503
  tally.check('ready', ready === 503, () => `/ready of the deposed server says ${ready}`)
  await old.kill('SIGKILL')
}
